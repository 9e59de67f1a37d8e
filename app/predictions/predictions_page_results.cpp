// PredictionsPage's opened results: a COCO results file of any program.
#include <QFileDialog>
#include <QFileInfo>
#include <chrono>

#include "app/predictions/predictions_page.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/jobs/awaited.h"

namespace lockstep::app {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{100};

}  // namespace

void PredictionsPage::connectResults() {
  resultsTicks_.setInterval(kProgressInterval);
  connect(&resultsTicks_, &QTimer::timeout, this, &PredictionsPage::showResultsProgress);
}

void PredictionsPage::openResultsDialog() {
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Open results"), jobs::folderToBeginWith({}), tr("COCO results (*.json)"));
  if (!file.isEmpty()) openResults({file});
}

/// Other annotations than those of the shown run.
void PredictionsPage::judgeResultsBy() {
  if (askedResults_.results.isEmpty()) return openResultsDialog();
  const QString folder = QFileInfo(askedResults_.results).absolutePath();
  const QString annotations = QFileDialog::getOpenFileName(this, tr("Annotations of the results"),
                                                           jobs::folderToBeginWith(folder),
                                                           tr("COCO annotations (*.json)"));
  if (!annotations.isEmpty()) openResults({askedResults_.results, annotations});
}

/// They are judged by the part of the run's data that is shown, or was shown last.
void PredictionsPage::openResults(const ResultsSource& source) {
  cancelResults();
  askedResults_ = source;
  if (source.annotations.isEmpty() && !truth_)
    return tellResultsFailed(
        tr("%1: there is no run whose data could judge these results").arg(source.results));
  resultsReading_ = std::make_shared<ReadingProgress>();
  resultsTicks_.start();
  showResultsProgress();
  resultsJob_ = jobs::start(
      this, jobs::Kind::Disk,
      [source, truth = truth_, reading = resultsReading_] {
        return app::openResults(source, truth, *reading);
      },
      [this, source](const OpenedResults& opened) {
        endReadingResults();
        if (!opened.failure.isEmpty()) return tellResultsFailed(opened.failure);
        results_ = {source, opened};
        showResults();
      });
}

void PredictionsPage::tellResultsFailed(const QString& why) {
  haveResultsFailed_ = true;
  view_->setMessage(why, {}, tr("Judge them by other annotations…"));
  announceReady();
}

void PredictionsPage::showResultsProgress() {
  const std::size_t all = resultsReading_->all, done = resultsReading_->done;
  const QString name = QFileInfo(askedResults_.results).fileName();
  view_->setMessage(all == 0 ? tr("Reading %1…").arg(name)
                             : tr("Reading %1: %L2 of %L3 images").arg(name).arg(done).arg(all),
                    {}, tr("Cancel"));
}

void PredictionsPage::endReadingResults() {
  resultsTicks_.stop();
  resultsReading_.reset();
  haveResultsFailed_ = false;
  view_->setMessage({});
}

void PredictionsPage::cancelResults() {
  if (!resultsReading_) return;
  resultsReading_->isCancelled = true;
  resultsJob_.cancel();
  endReadingResults();
  announceReady();
}

/// In the place of the run's own predictions.
void PredictionsPage::showResults() {
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
  if (lastImage_) view_->showSameImage(*lastImage_);
  announceReady();
  Q_EMIT viewStateChanged();
}

void PredictionsPage::closeResults() {
  results_ = {};
  leaveResults(part_);
}

/// For a part of the run's data.
void PredictionsPage::leaveResults(ImagePart part) {
  areResultsShown_ = false;
  part_ = part;
  reload();
  if (!run_) showEmptyText();
}

/// What the button beside a message does.
void PredictionsPage::doMessageAction() {
  if (resultsReading_) return cancelResults();
  if (std::exchange(haveResultsFailed_, false)) return judgeResultsBy();
  openCheckpointDialog();
}

}  // namespace lockstep::app
