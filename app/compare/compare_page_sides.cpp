// ComparePage's sides: which run and step each is.
#include <QComboBox>
#include <QDir>
#include <QLocale>
#include <QSignalBlocker>
#include <algorithm>

#include "app/compare/compare_page.h"
#include "app/text/distinct_names.h"

namespace lockstep::app {

namespace {

/// In the boxes of runs: to open another file.
const QString kOpen = QStringLiteral("open");

}  // namespace

void ComparePage::setRuns(const std::vector<ShownRun>& runs) {
  std::vector<ShownRun> shown = runs;
  std::erase_if(shown, [](const ShownRun& run) { return !run.run; });
  current_ = shown.empty() ? QString() : shown.front().run->folder();
  std::ranges::stable_sort(shown, {}, &ShownRun::selected);
  const auto isSame = [](const ShownRun& one, const ShownRun& other) {
    return one.run == other.run && one.name == other.name;
  };
  if (std::ranges::equal(shown, shown_, isSame)) return;
  const bool hasChosen = std::exchange(hasChosen_, keepsChoice(shown));
  shown_ = std::move(shown);
  keepsFirst_ =
      (hasChosen || keepsFirst_) && !hasChosen_ && isShown(sides_[0].path) && shown_.size() > 1;
  isStale_ = !isVisible();
  if (!isStale_) chooseRuns();
}

/// What a person has chosen stays where other runs are shown, unless a second one comes to two
/// checkpoints of the only one.
bool ComparePage::keepsChoice(const std::vector<ShownRun>& runs) const {
  if (!hasChosen_) return false;
  const auto isThere = [&](const Side& side) {
    return opened_.contains(side.path) || std::ranges::any_of(runs, [&](const ShownRun& run) {
             return run.run->folder() == side.path;
           });
  };
  const bool areOfOneRun = sides_[0].path == sides_[1].path;
  const bool isSecond = areOfOneRun && shown_.size() < 2 && runs.size() > 1;
  return std::ranges::all_of(sides_, isThere) && !isSecond;
}

bool ComparePage::isShown(const QString& path) const {
  return std::ranges::any_of(
      shown_, [&](const ShownRun& run) { return run.run && run.run->folder() == path; });
}

void ComparePage::fillRuns(Side& side) {
  const QSignalBlocker blocker(side.runs);
  side.runs->clear();
  for (const ShownRun& run : shown_)
    if (run.run) side.runs->addItem(run.name, run.run->folder());
  QStringList files;
  for (const auto& [path, source] : opened_) files << path;
  const QStringList names = distinctNames(files);
  for (qsizetype i = 0; i < files.size(); ++i) side.runs->addItem(names[i], files[i]);
  if (side.runs->count() > 0) side.runs->insertSeparator(side.runs->count());
  side.runs->addItem(tr("Open results…"), kOpen);
}

void ComparePage::chooseRuns() {
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    Side& side = sides_.at(i);
    fillRuns(side);
    if (opened_.contains(side.path)) continue;  // it stays until another is chosen
    if (i == 0 && keepsFirst_) continue;
    if (!hasChosen_) side.of->followNewest();
    if (hasChosen_ && isShown(side.path)) continue;
    side.path = usualRun(i);
  }
  hasChosen_ = std::exchange(keepsFirst_, false) || hasChosen_;
  applyKeptState();
  for (Side& side : sides_) chooseRun(side, side.path);  // once both are known
  refresh();
}

/// The first one; as B the next that is not A, if there is one.
QString ComparePage::usualRun(std::size_t side) const {
  if (shown_.empty()) return {};
  const auto isOther = [&](const ShownRun& run) {
    return side == 0 || run.run->folder() != sides_[0].path;
  };
  const auto found = std::ranges::find_if(shown_, isOther);
  return (found == shown_.end() ? shown_.front() : *found).run->folder();
}

void ComparePage::takeChoice(Side& side) {
  const QString path = side.runs->currentData().toString();
  if (path == kOpen) {
    side.runs->setCurrentIndex(side.runs->findData(side.path));
    return askForResults(&side == &sides_[0] ? 0 : 1);
  }
  leaveOneRun(&side == &sides_[0] ? 0 : 1);
  hasChosen_ = true;
  keptState_.reset();
  chooseRun(side, path);
  refresh();
}

void ComparePage::chooseRun(Side& side, const QString& path) {
  side.path = path;
  if (const auto file = opened_.find(path); file != opened_.end()) {
    side.of->setResults(file->second);
  } else {
    const auto found = std::ranges::find_if(
        shown_, [&](const ShownRun& run) { return run.run && run.run->folder() == path; });
    side.of->setRun(found == shown_.end() ? nullptr : found->run.data());
  }
  showChoice(side);
}

void ComparePage::showChoice(Side& side) {
  const QSignalBlocker blocker(side.runs);
  side.runs->setCurrentIndex(side.path.isEmpty() ? -1 : side.runs->findData(side.path));
  side.runs->setToolTip(QDir::toNativeSeparators(side.path));
  showSteps(side);
}

void ComparePage::showSteps(Side& side) {
  const QSignalBlocker blocker(side.steps);
  side.steps->clear();
  const std::vector<qint64>& all = side.of->steps().all();
  for (const qint64 step : all)
    side.steps->addItem(tr("step %1").arg(QLocale().toString(step)), step);
  side.steps->setEnabled(!all.empty());
  side.steps->setVisible(!side.of->isOfFile());
  side.steps->setCurrentIndex(side.steps->findData(side.of->step()));
  if (!hasChosen_ && areSame()) beginAt(sides_[0], sides_[0].of->stepBefore(sides_[1].of->step()));
  refresh();
}

bool ComparePage::areRead() const {
  return std::ranges::all_of(sides_,
                             [](const Side& side) { return side.of->heldOut().has_value(); });
}

bool ComparePage::areSame() const {
  return !sides_[0].path.isEmpty() && sides_[0].path == sides_[1].path &&
         sides_[0].of->step() == sides_[1].of->step();
}

/// Of one run, A begins at its best checkpoint or its first before B, and B at its newest.
void ComparePage::beginAt(Side& side, const std::optional<qint64>& step) {
  if (!step) return;
  side.of->setStep(*step);
  const QSignalBlocker blocker(side.steps);
  side.steps->setCurrentIndex(side.steps->findData(*step));
}

bool ComparePage::isOneRunByItself() const {
  return !hasChosen_ && sides_[0].of->run() && sides_[0].of->run() == sides_[1].of->run() &&
         !areSame();
}

void ComparePage::leaveOneRun(std::size_t side) {
  if (!isOneRunByItself()) return;
  hasChosen_ = true;
  Side& other = sides_.at(1 - side);
  other.of->followNewest();
  showSteps(other);
}

/// With all that they have read, and what is being predicted.
void ComparePage::swapSides() {
  hasChosen_ = true;
  keptState_.reset();
  std::swap(sides_[0].of, sides_[1].of);
  std::swap(sides_[0].path, sides_[1].path);
  for (Side& side : sides_) showChoice(side);
}

void ComparePage::compareCheckpoint(const QString& folder, qint64 step) {
  if (!isShown(folder)) return;
  hasChosen_ = true;
  keptState_.reset();
  chooseRun(sides_[0], folder);
  sides_[0].of->setStep(step);
  if (sides_[1].of->isEmpty()) chooseRun(sides_[1], folder);
  if (areSame()) beginAt(sides_[1], sides_[1].of->stepToCompareWith(step));
  for (Side& side : sides_) showSteps(side);
  sides_[1].runs->setFocus();
}

}  // namespace lockstep::app
