#include "app/main_window/predictions_page.h"

#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

#include "widgets/image_view/predictions_view.h"

namespace lockstep::app {

PredictionsPage::PredictionsPage(QWidget* parent) : QWidget(parent) {
  view_ = new widgets::PredictionsView;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view_);
  connectSignals();
  setRun(nullptr);
}

void PredictionsPage::connectSignals() {
  connect(view_, &widgets::PredictionsView::ready, this, &PredictionsPage::announceReady);
  connect(view_, &widgets::PredictionsView::predictionRequested, this,
          &PredictionsPage::requestPrediction);
  connect(view_, &widgets::PredictionsView::emptyActionTriggered, this,
          &PredictionsPage::configureRequested);
  connect(&store_, &PredictionsStore::idle, this, &PredictionsPage::announceReady);
  connect(&store_, &PredictionsStore::datasetLoaded, this,
          [this](const std::shared_ptr<const coco::Dataset>& dataset, const QString& imagesFolder) {
            hasDataset_ = true;
            view_->setMessage({});
            view_->setDataset(dataset, imagesFolder);
            steps_.clear();
            updateSteps();
          });
  connect(&store_, &PredictionsStore::datasetFailed, this, [this](const QString& message) {
    view_->setEmptyText(tr("The held-out images cannot be shown"), message, tr("Open Configure"));
    view_->setMessage(message);
  });
  connect(&store_, &PredictionsStore::predictionsLoaded, this,
          [this](const StepPredictions& predictions) {
            view_->setMessage({});
            view_->setPredictions(predictions.step, predictions.detections, predictions.watched);
          });
  connect(&store_, &PredictionsStore::predictionsFailed, this,
          [this](qint64, const QString& message) { view_->setMessage(message); });
  connect(&inspect_, &InspectProcess::predictionReady, this,
          [this](qint64 image, qint64 step, const QString& file) {
            store_.readAnswer(step, file, ImageId{image});
          });
  connect(&inspect_, &InspectProcess::predictionFailed, this,
          [this](qint64 image, qint64 step, const QString& why) {
            view_->setPredictionFailed(ImageId{image}, step, why);
          });
}

void PredictionsPage::setRun(RunController* run) {
  if (run_ == run && run) return;
  if (run_) disconnect(run_, nullptr, this, nullptr);
  run_ = run;
  hasDataset_ = false;
  steps_.clear();
  view_->clear();
  view_->setMessage({});
  view_->setEmptyText(
      tr("No run to show"),
      tr("Choose a run at the left: its held-out images and what it predicts on them appear here."),
      tr("Configure an experiment"));
  store_.setRun({});
  if (!run) return;
  connect(run, &RunController::historyChanged, this, [this] {
    updateSteps();
    updatePrecision();
  });
  connect(run, &RunController::cutAfter, this, [this](qint64 step) { store_.forgetAfter(step); });
  connect(run, &RunController::predictionReady, this,
          [this](qint64 image, qint64 step, const QString& file) {
            store_.readAnswer(step, file, ImageId{image});
          });
  connect(run, &RunController::predictionFailed, this,
          [this](qint64 image, qint64 step, const QString& why) {
            view_->setPredictionFailed(ImageId{image}, step, why);
          });
  if (isVisible()) load();
}

void PredictionsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  load();
}

void PredictionsPage::load() {
  if (!run_ || store_.runFolder() == run_->folder()) return;
  view_->setPredictionPossible(true);
  view_->setMessage(tr("Reading the held-out images…"));
  store_.setRun(run_->folder());
}

void PredictionsPage::updateSteps() {
  if (!run_ || !hasDataset_) return;
  const RunHistory& history = run_->history();
  store_.readSteps(history.predictionSteps());
  std::vector<std::int64_t> steps = history.predictionSteps();
  for (const protocol::Checkpoint& checkpoint : history.checkpoints())
    steps.push_back(checkpoint.step);
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  if (steps == steps_) return;
  // A view that shows the newest goes on to the next newest.
  const bool follows = steps_.empty() || view_->currentCheckpoint() == steps_.back();
  steps_ = steps;
  view_->setCheckpoints({steps.begin(), steps.end()});
  updatePrecision();
  if (wantedStep_) {
    showStep(*wantedStep_);
  } else if (follows && !history.predictionSteps().empty()) {
    view_->setCurrentCheckpoint(history.predictionSteps().back());
  }
}

void PredictionsPage::updatePrecision() {
  if (!run_ || !hasDataset_) return;
  const MetricSeries* precision = run_->history().metrics().series("eval/segm/AP");
  for (std::size_t i = 0; precision && i < precision->size(); ++i)
    view_->setAveragePrecision(precision->step(i), precision->value(i));
}

void PredictionsPage::showStep(qint64 step) {
  wantedStep_ = step;
  if (steps_.empty()) return;
  wantedStep_.reset();
  const auto after = std::upper_bound(steps_.begin(), steps_.end(), step);
  view_->setCurrentCheckpoint(after == steps_.begin() ? steps_.front() : *std::prev(after));
}

void PredictionsPage::requestPrediction(ImageId image, qint64 step) {
  if (!run_) return;
  if (run_->linkState() == EngineLink::State::Connected) {
    run_->predict(image.value, step);
  } else {
    inspect_.predict(run_->folder(), image.value, step);
  }
}

bool PredictionsPage::isReady() const {
  if (!run_) return true;
  return run_->isLoaded() && store_.isIdle() && view_->isReady();
}

void PredictionsPage::announceReady() {
  if (isReady()) Q_EMIT readyChanged();
}

}  // namespace lockstep::app
