// PredictionsPage's opened results: a COCO results file of any program.
#include <QFileDialog>
#include <QFileInfo>

#include "app/predictions_page/predictions_page.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {

void PredictionsPage::connectResults() {
  connect(&resultsReading_, &ResultsReading::progressed, this,
          &PredictionsPage::showResultsProgress);
  connect(&resultsReading_, &ResultsReading::ended, this, &PredictionsPage::takeResults);
}

void PredictionsPage::openResultsDialog() {
  const QString last = askedResults_.results.isEmpty() ? runFolder() : askedResults_.results;
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open results"), jobs::folderToBeginWith(last), tr("COCO results (*.json)"));
  if (!file.isEmpty()) openResults({file});
}

/// Other annotations than those of the shown run.
void PredictionsPage::judgeResultsBy() {
  if (askedResults_.results.isEmpty()) return openResultsDialog();
  const QString folder = QFileInfo(askedResults_.results).absolutePath();
  const QString annotations = QFileDialog::getOpenFileName(this, tr("Ground truth of the results"),
                                                           jobs::folderToBeginWith(folder),
                                                           tr("COCO annotations (*.json)"));
  if (!annotations.isEmpty()) openResults({askedResults_.results, annotations});
}

/// They are judged by the part of the run's data that is shown, or was shown last.
void PredictionsPage::openResults(const ResultsSource& source) { readResults(source, truth_); }

/// `truth`: what judges them, unless they have annotations of their own.
void PredictionsPage::readResults(const ResultsSource& source,
                                  const std::optional<RunDataset>& truth) {
  cancelResults();
  askedResults_ = source;
  waitingResults_ = {};
  restoredResults_ = {};
  if (source.annotations.isEmpty() && !truth) return refuseUnjudged(source);
  resultsReading_.start(source, truth);
  showResultsProgress();
}

void PredictionsPage::takeResults(const OpenedResults& opened) {
  view_->setMessage({});
  if (opened.isUnreadable) {
    view_->setMessage(opened.failure);
    return announceReady();
  }
  if (!opened.failure.isEmpty()) return tellResultsFailed(opened.failure);
  results_ = {askedResults_, opened};
  showResults();
}

/// Or waits for what judges them, or asks for it.
void PredictionsPage::refuseUnjudged(const ResultsSource& source) {
  if (run_ && run_->program()) {  // not while files are dropped, of which the dialog is no part
    QMetaObject::invokeMethod(this, &PredictionsPage::judgeResultsBy, Qt::QueuedConnection);
    return announceReady();
  }
  if (run_ && part_ == ImagePart::Opened) showPart(ImagePart::HeldOut);
  if (awaitsTruth()) {
    waitingResults_ = source;
    return;
  }
  tellResultsFailed(
      tr("%1: these results need a ground truth, of a run or a file").arg(source.results));
}

/// Whether the run's data may still be read.
bool PredictionsPage::awaitsTruth() const {
  return run_ && !truth_ && (!store_.isIdle() || !run_->isLoaded());
}

void PredictionsPage::openWaitingResults() {
  if (waitingResults_.results.isEmpty() || awaitsTruth()) return;
  openResults(ResultsSource(waitingResults_));
}

/// As soon as the run is shown that they were shown beside.
void PredictionsPage::openRestoredResults() {
  if (restoredResults_.source.results.isEmpty() || !isVisible()) return;
  if (!run_ && !restoredResults_.run.isEmpty()) return;
  const auto restored = std::exchange(restoredResults_, {});
  if ((run_ ? run_->folder() : QString()) == restored.run) openResults(restored.source);
}

/// With a button that does something.
void PredictionsPage::showMessage(const QString& message, const QString& action,
                                  const std::function<void()>& act) {
  messageAction_ = act;
  view_->setMessage(message, {}, action);
}

void PredictionsPage::tellResultsFailed(const QString& why) {
  showMessage(why, tr("Choose ground truth…"), [this] { judgeResultsBy(); });
  announceReady();
}

void PredictionsPage::showResultsProgress() {
  const QString name = QFileInfo(askedResults_.results).fileName();
  const QString progress = resultsReading_.progress();
  showMessage(
      progress.isEmpty() ? tr("Reading %1…").arg(name) : tr("Reading %1: %2").arg(name, progress),
      tr("Cancel"), [this] { cancelResults(); });
}

void PredictionsPage::cancelResults() {
  if (!resultsReading_.isRunning()) return;
  resultsReading_.cancel();
  view_->setMessage({});
  announceReady();
}

/// In the place of the run's own predictions.
void PredictionsPage::showResults() {
  if (const auto shown = view_->shownImage()) lastImage_ = shown;
  keepPlace();
  endBatches();
  forgetFaults();
  store_.setRun({});
  watched_.clear();
  for (const auto& [file, version] : results_.opened.files) watched_.add(file, version);
  isAsked_ = true;
  hasDataset_ = hasRestoredAnswers_ = false;
  areResultsShown_ = true;
  showParts();
  updatePredictionPossible();
  const RunDataset& judges = results_.opened.heldOut;
  bringImagesFrom(judges.files);
  view_->setMessage({});
  view_->setDataset(judges.dataset, judges.imagesFolder,
                    {judges.iouType, judges.maxDetections, /*hasTruth=*/true});
  view_->setResults(QFileInfo(results_.source.results).fileName(), results_.opened.predictions);
  tellOddScores();
  if (lastImage_) view_->showSameImage(*lastImage_);
  announceReady();
  Q_EMIT viewStateChanged();
}

void PredictionsPage::tellOddScores() {
  const std::size_t odd = results_.opened.oddScores;
  if (odd == 0) return;
  const QString name = QFileInfo(results_.source.results).fileName();
  view_->setMessage(
      tr("%1: %Ln result(s) have a score outside 0 to 1", "", static_cast<int>(odd)).arg(name),
      tr("The score slider does not reach them all."));
}

void PredictionsPage::dropResults() {
  cancelResults();
  resultsReading_.forget();
  results_ = {};
  askedResults_ = {};
}

void PredictionsPage::closeResults() {
  dropResults();
  leaveResults(part_);
}

/// For a part of the run's data.
void PredictionsPage::leaveResults(ImagePart part) {
  if (const auto shown = view_->shownImage()) lastImage_ = shown;
  areResultsShown_ = false;
  part_ = part;
  reload();
  if (!run_) showEmptyText();
}

}  // namespace lockstep::app
