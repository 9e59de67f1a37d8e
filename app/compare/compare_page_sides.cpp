// ComparePage's sides: which run and step each is, what is in the way of comparing them, and what
// is said of them.
#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLocale>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <algorithm>

#include "app/compare/compare_page.h"
#include "app/compare/compared_figures.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/paired_view.h"

namespace lockstep::app {

void ComparePage::setRuns(const std::vector<ShownRun>& runs) {
  const auto foldersOf = [](const std::vector<ShownRun>& of) {
    QStringList folders;
    for (const ShownRun& one : of) folders << (one.run ? one.run->folder() : QString());
    return folders;
  };
  if (foldersOf(runs) != foldersOf(shown_)) hasChosen_ = false;
  shown_ = runs;
  std::erase_if(shown_, [](const ShownRun& run) { return !run.run; });
  if (isVisible()) chooseRuns();
}

void ComparePage::chooseRuns() {
  const auto isShown = [this](const QString& folder) {
    return std::ranges::any_of(
        shown_, [&](const ShownRun& run) { return run.run && run.run->folder() == folder; });
  };
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    Side& side = sides_[i];
    const QSignalBlocker blocker(side.runs);
    side.runs->clear();
    for (const ShownRun& run : shown_)
      if (run.run) side.runs->addItem(run.name, run.run->folder());
    if (!hasChosen_) side.of->followNewest();
    if (hasChosen_ && isShown(side.folder)) continue;
    const std::size_t usual = std::min(i, shown_.empty() ? 0 : shown_.size() - 1);
    side.folder = shown_.empty() ? QString() : shown_[usual].run->folder();
  }
  for (Side& side : sides_) chooseRun(side, side.folder);  // once both are known
  refresh();
}

void ComparePage::chooseRun(Side& side, const QString& folder) {
  const QSignalBlocker blocker(side.runs);
  side.folder = folder;
  side.runs->setCurrentIndex(side.runs->findData(folder));
  side.runs->setToolTip(QDir::toNativeSeparators(folder));
  const auto found = std::ranges::find_if(
      shown_, [&](const ShownRun& run) { return run.run && run.run->folder() == folder; });
  side.of->setRun(found == shown_.end() ? nullptr : found->run.data());
  showSteps(side);
}

void ComparePage::showSteps(Side& side) {
  const QSignalBlocker blocker(side.steps);
  side.steps->clear();
  const std::vector<qint64>& all = side.of->steps().all();
  for (const qint64 step : all)
    side.steps->addItem(tr("step %1").arg(QLocale().toString(step)), step);
  side.steps->setEnabled(!all.empty());
  side.steps->setCurrentIndex(side.steps->findData(side.of->step()));
  if (!hasChosen_ && areSame()) beginAtEarlierStep(sides_[0]);
  refresh();
}

bool ComparePage::areSame() const {
  return !sides_[0].folder.isEmpty() && sides_[0].folder == sides_[1].folder &&
         sides_[0].of->step() == sides_[1].of->step();
}

/// Of one run, A begins at the step before B's that was predicted.
void ComparePage::beginAtEarlierStep(Side& side) {
  const auto earlier = side.of->predictedBefore(side.of->step());
  if (!earlier) return;
  side.of->setStep(*earlier);
  const QSignalBlocker blocker(side.steps);
  side.steps->setCurrentIndex(side.steps->findData(*earlier));
}

void ComparePage::swapSides() {
  hasChosen_ = true;
  const std::array<std::pair<QString, qint64>, 2> was{
      std::pair{sides_[0].folder, sides_[0].of->step()},
      std::pair{sides_[1].folder, sides_[1].of->step()}};
  for (std::size_t i = 0; i < 2; ++i) {
    chooseRun(sides_[i], was[1 - i].first);
    if (sides_[i].of->run()) sides_[i].of->setStep(was[1 - i].second);
    showSteps(sides_[i]);
  }
}

std::optional<ComparePage::Obstacle> ComparePage::obstacleOf(const Side& side,
                                                             const QString& letter) const {
  const ComparedRun& of = *side.of;
  if (!of.progress().isEmpty())
    return Obstacle{tr("Predicting all images of %1").arg(letter), of.progress(), tr("Cancel")};
  if (!of.failure().isEmpty())
    return Obstacle{tr("%1 cannot be compared").arg(letter), of.failure()};
  if (!of.isIdle() || !of.heldOut())
    return Obstacle{tr("Loading %1…").arg(letter), side.runs->currentText()};
  if (of.steps().isEmpty())
    return Obstacle{tr("%1 has nothing to compare").arg(letter),
                    tr("The run has neither a checkpoint nor predictions yet.")};
  if (!of.predictions().empty()) return std::nullopt;
  const QString blocked = of.run()->predictionBlockedBy();
  return Obstacle{
      tr("%1 has no predictions at step %2").arg(letter).arg(of.step()),
      blocked.isEmpty() ? tr("All held-out images can be predicted with its checkpoint.") : blocked,
      blocked.isEmpty() ? tr("Predict all") : QString(), side.of};
}

std::optional<ComparePage::Obstacle> ComparePage::obstacle() const {
  if (shown_.empty())
    return Obstacle{tr("No runs to compare"),
                    tr("Select two runs on the left, or one, to compare two of its checkpoints.")};
  for (std::size_t i = 0; i < sides_.size(); ++i)
    if (auto own = obstacleOf(sides_.at(i), letterOf(static_cast<int>(i)))) return own;
  if (!datasetDifference_.isEmpty())
    return Obstacle{tr("A and B cannot be compared"), tr("The runs: %1.").arg(datasetDifference_)};
  const auto& others = sides_[1].of->predictions();
  const bool haveCommon = std::ranges::any_of(
      sides_[0].of->predictions(), [&](const auto& one) { return others.contains(one.first); });
  if (!haveCommon)
    return Obstacle{tr("A and B have predictions of different images"),
                    tr("Predict all images with both."), tr("Predict all"), sides_[0].of};
  return std::nullopt;
}

/// In the place of the image, until there is one.
void ComparePage::showEmpty(const std::optional<Obstacle>& way) {
  if (way) {
    empty_->setContent(way->title, way->cause, way->action);
  } else {
    empty_->setContent(tr("No object to show"),
                       tr("The images that both have predicted have no objects."));
  }
  const bool isViewed = !way && view_->hasImage();
  stack_->setCurrentWidget(isViewed ? viewer_ : static_cast<QWidget*>(empty_));
}

QString ComparePage::verdict() const { return verdict_->text(); }

void ComparePage::showState() {
  const auto way = obstacle();
  showEmpty(way);
  if (way) {
    verdict_->clear();
  } else if (!failure_.isEmpty()) {
    verdict_->setText(failure_);
  } else if (areSame()) {
    verdict_->setText(tr("A and B are the same checkpoint: choose another for one of them."));
  } else if (pair_) {
    verdict_->setText(verdictText(*pair_, sides_[0].of->heldOut()->dataset->images().size()));
  } else {
    verdict_->setText(tr("Comparing…"));
  }
  verdict_->setVisible(!verdict_->text().isEmpty());
  QStringList names;
  for (std::size_t i = 0; i < 2; ++i)
    names << tr("%1: %2, step %3")
                 .arg(letterOf(static_cast<int>(i)), sides_[i].runs->currentText(),
                      QLocale().toString(sides_[i].of->step()));
  view_->setNames(names[0], names[1]);
  if (isReady()) Q_EMIT readyChanged();
}

}  // namespace lockstep::app
