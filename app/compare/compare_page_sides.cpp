// ComparePage's sides: which run and step each is, and what is in the way of comparing them.
#include <QComboBox>
#include <QDir>
#include <QLocale>
#include <QSignalBlocker>
#include <algorithm>

#include "app/compare/compare_page.h"

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
    const bool isKept = hasChosen_ && isShown(side.folder);
    const std::size_t usual = std::min(i, shown_.empty() ? 0 : shown_.size() - 1);
    chooseRun(side, isKept           ? side.folder
                    : shown_.empty() ? QString()
                                     : shown_[usual].run->folder());
  }
  refresh();
}

void ComparePage::chooseRun(Side& side, const QString& folder) {
  side.folder = folder;
  side.runs->setCurrentIndex(side.runs->findData(folder));
  side.runs->setToolTip(QDir::toNativeSeparators(folder));
  const auto found = std::ranges::find_if(
      shown_, [&](const ShownRun& run) { return run.run && run.run->folder() == folder; });
  side.of->setRun(found == shown_.end() ? nullptr : found->run.data());
  showSteps(side);
}

/// Of one run, A begins at the step before B's.
void ComparePage::showSteps(Side& side) {
  const QSignalBlocker blocker(side.steps);
  side.steps->clear();
  const std::vector<qint64>& all = side.of->steps().all();
  for (const qint64 step : all)
    side.steps->addItem(tr("step %1").arg(QLocale().toString(step)), step);
  side.steps->setEnabled(!all.empty());
  const bool isSameRun = sides_[0].folder == sides_[1].folder;
  const auto at = std::ranges::find(all, side.of->step());
  if (!hasChosen_ && isSameRun && &side == sides_.data() && at != all.end() && at != all.begin() &&
      sides_[1].of->step() == side.of->step())
    side.of->setStep(*std::prev(at));
  side.steps->setCurrentIndex(side.steps->findData(side.of->step()));
  refresh();
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

}  // namespace lockstep::app
