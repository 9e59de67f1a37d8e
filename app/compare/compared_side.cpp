#include "app/compare/compared_side.h"

#include <algorithm>
#include <utility>

namespace lockstep::app {

ComparedSide::ComparedSide(QObject* parent)
    : QObject(parent),
      fileJob_([this](const OpenedResults& opened) { takeFile(opened); }, jobs::Kind::Disk) {
  connectStore();
}

void ComparedSide::connectStore() {
  connect(&store_, &PredictionsStore::datasetLoaded, this, [this](const RunDataset& data) {
    heldOut_ = data;
    readPredictions();
    Q_EMIT changed();
  });
  connect(&store_, &PredictionsStore::datasetMissing, this,
          [this] { fail(tr("the run has no dataset.val")); });
  connect(&store_, &PredictionsStore::datasetFailed, this, &ComparedSide::fail);
  connect(&store_, &PredictionsStore::predictionsLoaded, this,
          [this](const StepPredictions& loaded) {
            kept_.add(loaded.step, loaded.results);
            if (loaded.step == step_) Q_EMIT changed();
          });
  connect(&store_, &PredictionsStore::predictionsFailed, this,
          [this](qint64 step, const QString& why) {
            if (step == step_) fail(why);
          });
  connect(&store_, &PredictionsStore::idle, this, &ComparedSide::changed);
}

template <typename Engine>
void ComparedSide::connectAnswers(Engine* engine) {
  connect(engine, &Engine::predictionReady, this, [this](const AskedPrediction& asked) {
    if (asked.image) return;
    progress_.clear();
    store_.readNewAllOf(asked.step);
    Q_EMIT changed();
  });
  connect(engine, &Engine::predictionFailed, this,
          [this](const AskedPrediction& asked, const QString& why) {
            if (asked.image || progress_.isEmpty()) return;
            progress_.clear();
            fail(why);
          });
  connect(engine, &Engine::predictionProgressed, this,
          [this](const AskedPrediction& asked, qint64 done, qint64 of) {
            if (asked.image || progress_.isEmpty()) return;
            progress_ = tr("%1 of %2 images").arg(done).arg(of);
            Q_EMIT progressed();
          });
}

void ComparedSide::clear() {
  if (run_) disconnect(run_, nullptr, this, nullptr);
  run_ = nullptr;
  file_.reset();
  fileJob_.cancel();
  inspect_.reset();
  kept_.clear();
  heldOut_.reset();
  steps_ = {};
  step_ = 0;
  isStepChosen_ = false;
  failure_.clear();
  progress_.clear();
  note_.clear();
  store_.setRun({});
}

void ComparedSide::setRun(RunController* run) {
  if (run == run_ && run != nullptr) return;
  clear();
  if (run == nullptr) return;
  run_ = run;
  store_.setRun(run->files());
  connectAnswers(run);
  connect(run, &RunController::changed, this, [this](const RunChanges& changes) {
    if (changes.cutAfter) {
      store_.forgetAfter(*changes.cutAfter);
      kept_.forgetAfter(*changes.cutAfter);
    }
    if (changes.results() || changes.cutAfter) readSteps();
    if (changes.scalars || changes.evaluations || changes.state || changes.cutAfter)
      Q_EMIT curvesChanged();
  });
  readSteps();
}

void ComparedSide::setResults(const ResultsSource& source) {
  if (file_ == source) return;
  clear();
  file_ = source;
  readFile();
  Q_EMIT stepsChanged();
}

void ComparedSide::judgeBy(const std::optional<RunDataset>& truth) {
  const auto datasetOf = [](const std::optional<RunDataset>& of) {
    return of ? of->dataset : nullptr;
  };
  const bool isOther = datasetOf(truth) != datasetOf(truth_);
  truth_ = truth;
  if (isOther && file_ && file_->annotations.isEmpty()) readFile();
}

void ComparedSide::readFile() {
  failure_.clear();
  heldOut_.reset();
  kept_.clear();
  if (lacksTruth()) return fileJob_.cancel();
  fileJob_.request([source = *file_, truth = truth_] { return openResults(source, truth); });
}

void ComparedSide::takeFile(const OpenedResults& opened) {
  if (!opened.failure.isEmpty()) return fail(opened.failure);
  note_ = opened.note;
  heldOut_ = opened.heldOut;
  kept_.add(step_, opened.detections, opened.images);
  Q_EMIT changed();
}

void ComparedSide::readSteps() {
  steps_ = PredictionSteps(run_->history().predictionSteps(), run_->checkpointSteps());
  if (!steps_.isEmpty()) step_ = isStepChosen_ ? steps_.atOrBefore(step_) : steps_.initialStep();
  readPredictions();
  Q_EMIT stepsChanged();
}

std::optional<qint64> ComparedSide::predictedBefore(qint64 step) const {
  if (!run_) return std::nullopt;
  const std::vector<std::int64_t>& stored = run_->history().predictionSteps();
  const auto at = std::ranges::lower_bound(stored, step);
  return at == stored.begin() ? std::nullopt : std::optional<qint64>(*std::prev(at));
}

void ComparedSide::setStep(qint64 step) {
  isStepChosen_ = true;
  if (step == std::exchange(step_, step)) return;
  if (heldOut_) failure_.clear();
  progress_.clear();
  readPredictions();
  Q_EMIT changed();
}

void ComparedSide::followNewest() {
  if (!std::exchange(isStepChosen_, false) || steps_.isEmpty()) return;
  step_ = steps_.initialStep();
  readPredictions();
}

void ComparedSide::readPredictions() {
  if (!run_ || !heldOut_ || steps_.isEmpty()) return;
  const std::vector<std::int64_t>& stored = run_->history().predictionSteps();
  if (std::ranges::binary_search(stored, step_)) store_.readSteps({step_});
  store_.readAllOf(step_);
}

void ComparedSide::fail(const QString& why) {
  failure_ = why;
  Q_EMIT changed();
}

bool ComparedSide::isIdle() const {
  if (file_) return fileJob_.isIdle();
  return !run_ || (run_->isLoaded() && store_.isIdle());
}

void ComparedSide::predictAll() {
  if (!run_) return;
  failure_.clear();
  progress_ = tr("starting");
  const AskedPrediction asked{std::nullopt, step_};
  if (run_->linkState() == EngineLink::State::Connected || run_->place()) {
    run_->predict(asked);
  } else {
    if (!inspect_) {
      inspect_ = std::make_unique<InspectProcess>();
      inspect_->setRun(run_->folder());
      connectAnswers(inspect_.get());
    }
    inspect_->predict(asked);
  }
  Q_EMIT progressed();
}

void ComparedSide::cancelPrediction() {
  progress_.clear();
  if (run_) run_->cancelPrediction({std::nullopt, step_});
  if (inspect_) inspect_->cancelPrediction({std::nullopt, step_});
  Q_EMIT progressed();
}

}  // namespace lockstep::app
