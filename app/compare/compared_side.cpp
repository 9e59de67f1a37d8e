#include "app/compare/compared_side.h"

#include <algorithm>
#include <utility>

namespace lockstep::app {

ComparedSide::ComparedSide(QObject* parent) : QObject(parent) {
  connect(&reading_, &ResultsReading::progressed, this, &ComparedSide::progressed);
  connect(&reading_, &ResultsReading::ended, this, &ComparedSide::takeFile);
  connectStore();
  connectAnswers();
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
  connect(&store_, &PredictionsStore::fileRead, &watched_, &WatchedFiles::add);
  connect(&watched_, &WatchedFiles::changed, this, [this] {
    isReadAgain_ = true;
    readAgain();
  });
}

void ComparedSide::connectAnswers() {
  connect(&requests_, &PredictionRequests::ready, this, [this](const AskedPrediction& asked) {
    store_.readNewAllOf(asked.step);
    Q_EMIT changed();
  });
  connect(&requests_, &PredictionRequests::failed, this,
          [this](const AskedPrediction& asked, const QString& why) {
            if (asked.step == step_) fail(why);
          });
  connect(&requests_, &PredictionRequests::progressed, this,
          [this](const AskedPrediction& asked, qint64 done, qint64 of) {
            progress_[asked.step] = tr("%L1 of %Ln image(s)", "", static_cast<int>(of)).arg(done);
            Q_EMIT progressed();
          });
}

void ComparedSide::clear() {
  if (run_) disconnect(run_, nullptr, this, nullptr);
  run_ = nullptr;
  requests_.setRun(nullptr);
  file_.reset();
  reading_.forget();
  kept_.clear();
  ofFile_.clear();
  heldOut_.reset();
  steps_ = {};
  step_ = 0;
  isStepChosen_ = false;
  failure_.clear();
  progress_.clear();
  watched_.clear();
  isReadAgain_ = false;
  store_.setRun({});
}

void ComparedSide::setRun(RunController* run) {
  if (run == run_ && run != nullptr) return;
  clear();
  if (run == nullptr) return;
  run_ = run;
  store_.setRun(run->files());
  requests_.setRun(run);
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

void ComparedSide::readAgain() {
  if (file_) {
    readFile();
  } else if (run_) {
    failure_.clear();
    heldOut_.reset();
    kept_.clear();
    store_.setRun(run_->files());
  }
  Q_EMIT changed();
}

void ComparedSide::readFile() {
  failure_.clear();
  heldOut_.reset();
  ofFile_.clear();
  reading_.start(*file_, truth_);
  Q_EMIT progressed();
}

void ComparedSide::cancelReading() {
  reading_.cancel();
  fail(tr("Reading %1 was cancelled.").arg(file_->results));
}

QString ComparedSide::reading() const {
  if (!file_ || !reading_.isRunning()) return {};
  const QString known = reading_.progress();
  return known.isEmpty() ? tr("starting") : known;
}

void ComparedSide::takeFile(const OpenedResults& opened) {
  for (const auto& [file, version] : opened.files) watched_.add(file, version);
  if (!opened.failure.isEmpty()) return fail(opened.failure);
  if (opened.heldOut.dataset) heldOut_ = opened.heldOut;
  ofFile_ = opened.predictions;
  Q_EMIT changed();
}

void ComparedSide::readSteps() {
  steps_ = PredictionSteps(run_->history().predictionSteps(), run_->checkpointSteps());
  if (!steps_.isEmpty()) moveTo(isStepChosen_ ? steps_.atOrBefore(step_) : steps_.initialStep());
  readPredictions();
  Q_EMIT stepsChanged();
}

std::optional<qint64> ComparedSide::stepToCompareWith(qint64 step) const {
  std::vector<qint64> others = steps_.all();
  std::erase(others, step);
  return preferred(others);
}

std::optional<qint64> ComparedSide::stepBefore(qint64 step) const {
  std::vector<qint64> earlier = steps_.all();
  std::erase_if(earlier, [step](qint64 other) { return other >= step; });
  return preferred(earlier);
}

/// With predictions before without, then the best, then the first.
std::optional<qint64> ComparedSide::preferred(const std::vector<qint64>& steps) const {
  if (!run_ || steps.empty()) return std::nullopt;
  const auto& best = run_->info().best;
  const std::vector<std::int64_t>& stored = run_->history().predictionSteps();
  const auto rankOf = [&](qint64 step) {
    const bool isBest = best && best->step == step;
    return std::ranges::binary_search(stored, step) ? (isBest ? 0 : 1) : isBest ? 2 : 3;
  };
  return *std::ranges::min_element(steps, {}, rankOf);
}

std::size_t ComparedSide::imagesToPredict() const {
  if (!run_ || !heldOut_ || !run_->predictionBlockedBy().isEmpty()) return 0;
  if (!std::ranges::binary_search(run_->checkpointSteps(), step_)) return 0;
  const std::size_t all = heldOut_->dataset->images().size(), known = predictions().size();
  return all > known ? all - known : 0;
}

/// False: it is there. What failed of another step is forgotten.
bool ComparedSide::moveTo(qint64 step) {
  if (step == std::exchange(step_, step)) return false;
  if (heldOut_) failure_.clear();
  return true;
}

void ComparedSide::setStep(qint64 step) {
  isStepChosen_ = true;
  if (!moveTo(step)) return;
  readPredictions();
  Q_EMIT changed();
}

void ComparedSide::followNewest() {
  if (!std::exchange(isStepChosen_, false) || steps_.isEmpty()) return;
  moveTo(steps_.initialStep());
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

widgets::MatchRules ComparedSide::rules() const {
  return widgets::MatchRules{heldOut_->iouType, heldOut_->maxDetections}.forResults(
      kept_.haveMasks(step_));
}

bool ComparedSide::isIdle() const {
  if (file_) return !reading_.isRunning();
  return !run_ || (run_->isLoaded() && store_.isIdle());
}

QString ComparedSide::progress() const {
  if (!requests_.isAsked(allImages())) return {};
  const auto told = progress_.find(step_);
  return told == progress_.end() ? tr("starting") : told->second;
}

void ComparedSide::predictAll() {
  failure_.clear();
  progress_.erase(step_);
  requests_.predict(allImages());
  Q_EMIT progressed();
}

void ComparedSide::cancelPrediction() {
  requests_.cancel(allImages());
  Q_EMIT progressed();
}

}  // namespace lockstep::app
