// What PredictionsPage says of the files that it reads: that they have changed, and what is wrong.
#include <utility>

#include "app/predictions_page/predictions_page.h"
#include "widgets/image_view/predictions_view.h"

namespace lockstep::app {
/// What is read is shown as it is on the disk.
void PredictionsPage::connectFiles() {
  connect(&store_, &PredictionsStore::fileRead, &watched_, &WatchedFiles::add);
  connect(&watched_, &WatchedFiles::changed, this, [this] {
    if (areResultsShown_)
      return readResults(ResultsSource(results_.source), results_.opened.heldOut);
    whyReloaded_ = tr("Annotations or predictions have changed on the disk and were read again.");
    keepPlace();
    reload();
  });
}

/// Of all images of a part: which could not be read, and scores that are none.
void PredictionsPage::keepFaultsOf(const StepPredictions& predictions) {
  const std::vector<std::string>& unreadable = predictions.results->unreadable();
  const std::size_t predicted = predictions.results->images().size();
  QStringList lines;
  for (const std::string& line : unreadable) lines.append(QString::fromStdString(line));
  const std::size_t odd = predictions.results->oddScoreCount();
  if (lines.isEmpty() && odd == 0) return;
  if (toldStep_ == predictions.step) toldStep_.reset();
  if (!lines.isEmpty()) {
    faults_[predictions.step] = {tr("Step %1: %L2 of %Ln image(s) predicted, %L3 could not be read",
                                    "", static_cast<int>(predicted + unreadable.size()))
                                     .arg(predictions.step)
                                     .arg(predicted)
                                     .arg(unreadable.size()),
                                 lines.join(u'\n')};
  } else {
    faults_[predictions.step] = {
        tr("Step %1: %Ln prediction(s) have a score outside 0 to 1", "", static_cast<int>(odd))
            .arg(predictions.step),
        tr("Another program has changed them. The score slider does not reach them all; predict "
           "the images again.")};
  }
}

/// Once for each step that is gone to, so that what a person has closed stays so.
void PredictionsPage::showFaults() {
  const qint64 step = view_->currentCheckpoint();
  if (std::exchange(toldStep_, step) == step) return;
  if (const auto found = faults_.find(step); found != faults_.end())
    view_->setMessage(found->second.title, found->second.detail);
}

void PredictionsPage::forgetFaults() {
  faults_.clear();
  toldStep_.reset();
}

}  // namespace lockstep::app
