#include "app/predictions/predictions_page.h"

#include <QVBoxLayout>
#include <utility>

#include "engine/events/tags.h"
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
  connect(view_, &widgets::PredictionsView::checkpointChosen, this, [this](qint64 step) {
    wantedStep_.reset();
    followsNewest_ = step >= steps_.toOpenWith();
  });
  connect(view_, &widgets::PredictionsView::emptyActionTriggered, this,
          &PredictionsPage::configureRequested);
  connectStore();
  connectAnswers(&inspect_);
}

template <typename Engine>
void PredictionsPage::connectAnswers(Engine* engine) {
  connect(engine, &Engine::predictionReady, this,
          [this](qint64 image, qint64 step, const QString& file) {
            store_.readAnswer(step, file, ImageId{image});
          });
  connect(engine, &Engine::predictionFailed, this,
          [this](qint64 image, qint64 step, const QString& why) {
            view_->setPredictionFailed(ImageId{image}, step, why);
          });
}

void PredictionsPage::connectStore() {
  connect(&store_, &PredictionsStore::idle, this, &PredictionsPage::announceReady);
  connect(&store_, &PredictionsStore::datasetLoaded, this,
          [this](const std::shared_ptr<const coco::Dataset>& dataset, const QString& imagesFolder) {
            hasDataset_ = true;
            view_->setMessage({});
            view_->setDataset(dataset, imagesFolder);
            recallView();
            takeResults();
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
  connect(&store_, &PredictionsStore::answerLoaded, this,
          [this](const StepPredictions& predictions) {
            if (!run_) return;
            memories_[run_->folder()].answers.push_back(predictions);
            view_->setMessage({});
            view_->setPredictions(predictions.step, predictions.detections, predictions.watched);
          });
  connect(&store_, &PredictionsStore::predictionsFailed, this,
          [this](qint64, const QString& message) { view_->setMessage(message); });
  connect(&store_, &PredictionsStore::answerFailed, view_,
          &widgets::PredictionsView::setPredictionFailed);
}

void PredictionsPage::setRun(RunController* run) {
  if (run_ == run && run) return;
  remember();
  if (run_) disconnect(run_, nullptr, this, nullptr);
  run_ = run;
  hasDataset_ = false;
  hasRecalled_ = false;
  steps_ = {};
  wantedStep_.reset();
  followsNewest_ = true;
  view_->clear();
  view_->setMessage({});
  view_->setEmptyText(tr("No run to show"),
                      tr("Select a run on the left to see its held-out images and predictions."),
                      tr("Configure an experiment"));
  store_.setRun({});
  inspect_.setRun(run ? run->folder() : QString());
  if (!run) return;
  connectRun();
  if (isVisible()) load();
}

/// Of the run that is left.
void PredictionsPage::remember() {
  if (!hasDataset_) return;
  Memory& memory = memories_[store_.runFolder()];
  memory.step = followsNewest_ ? std::nullopt : std::optional(view_->currentCheckpoint());
  memory.image = view_->shownImage();
  if (memory.image) looked_ = memory.image;
}

/// The image that was looked at in another run of the same data, else in this run before.
void PredictionsPage::recallView() {
  const auto known = memories_.constFind(store_.runFolder());
  if (!(looked_ && view_->showSameImage(*looked_)) && known != memories_.cend() && known->image)
    view_->showSameImage(*known->image);
  if (known != memories_.cend() && !wantedStep_) wantedStep_ = known->step;
}

/// Once the run's attempt is known: where it was resumed while nobody looked any step may differ.
void PredictionsPage::recallAnswers() {
  if (!run_->isLoaded()) return;
  Memory& memory = memories_[run_->folder()];
  if (memory.attempt != run_->info().attempt && !hasRecalled_) memory.answers.clear();
  memory.attempt = run_->info().attempt;
  if (std::exchange(hasRecalled_, true)) return;
  for (const StepPredictions& answer : memory.answers)
    view_->setPredictions(answer.step, answer.detections, answer.watched);
}

void PredictionsPage::connectRun() {
  connect(run_, &RunController::resultsChanged, this, &PredictionsPage::takeResults);
  connect(run_, &RunController::cutAfter, this, &PredictionsPage::forgetAfter);
  connectAnswers(run_.data());
}

void PredictionsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  load();
}

void PredictionsPage::load() {
  if (!run_ || store_.runFolder() == run_->folder()) return;
  view_->setPredictionPossible(true);
  view_->setMessage(tr("Loading the held-out images…"));
  store_.setRun(run_->folder());
}

void PredictionsPage::takeResults() {
  if (!run_ || !hasDataset_) return;
  const std::vector<std::int64_t>& kept = run_->checkpointSteps();
  steps_ = PredictionSteps(run_->history().predictionSteps(), kept);
  store_.readSteps(run_->history().predictionSteps());
  view_->setCheckpoints(steps_.all(), {kept.begin(), kept.end()});
  view_->setAveragePrecisions(maskOrBoxAp(run_->history().metrics()));
  recallAnswers();
  if (wantedStep_) {
    showStep(*wantedStep_);
  } else if (followsNewest_ && !steps_.isEmpty()) {
    view_->setCurrentCheckpoint(steps_.toOpenWith());
  }
}

/// The run was resumed there: what it predicted later is of a past that is gone.
void PredictionsPage::forgetAfter(qint64 step) {
  std::erase_if(memories_[run_->folder()].answers,
                [step](const StepPredictions& answer) { return answer.step > step; });
  store_.forgetAfter(step);
  steps_.forgetAfter(step);
  view_->forgetAfter(step);
}

void PredictionsPage::showStep(qint64 step) {
  wantedStep_ = step;
  if (steps_.isEmpty()) return;
  wantedStep_.reset();
  const qint64 shown = steps_.atOrBefore(step);
  followsNewest_ = shown >= steps_.toOpenWith();
  view_->setCurrentCheckpoint(shown);
}

void PredictionsPage::requestPrediction(ImageId image, qint64 step) {
  if (!run_) return;
  if (run_->linkState() == EngineLink::State::Connected) {
    run_->predict(image.value, step);
  } else {
    inspect_.predict(image.value, step);
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
