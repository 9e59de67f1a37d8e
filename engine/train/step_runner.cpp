#include "engine/train/step_runner.h"

#include <torch/types.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/clock.h"
#include "engine/config/due.h"
#include "engine/config/lr_range_test.h"
#include "engine/events/tags.h"
#include "engine/train/divergence.h"
#include "engine/train/precision.h"

namespace lockstep::train {

namespace tags = events::tags;

using protocol::Phase;

namespace {

config::LearningRateSchedule scheduleOf(const Training& training) {
  const config::SolverConfig& solver = training.experiment.solver;
  if (!training.rangeTest) return config::LearningRateSchedule(solver);
  return config::LearningRateSchedule(config::rangeTestSweep(solver.maxSteps.steps()));
}

/// Of a tag that the record has.
float valueOf(const protocol::Scalars& record, std::string_view tag) {
  return std::ranges::find(record.values, tag, &std::pair<std::string, float>::first)->second;
}

}  // namespace

StepRunner::StepRunner(Training& training, TrainingModel& model)
    : training_(training),
      model_(model),
      schedule_(scheduleOf(training)),
      recorder_(training.context.world.rank(), training.context.world.size(),
                TensorStatistics(model.update().parameters(),
                                 training.experiment.monitor.tensorStatsInclude)),
      gradients_(training.context.world.averageGradients(
          model.update().tensors(), recorder_.figureCount(), training.experiment.runtime.backend)) {
  model.update().watchWeights(recorder_.statistics()->included());
  if (training.experiment.monitor.tensorStatsEvery.count > 0 &&
      recorder_.statistics()->included().empty())
    training_.log(base::LogLevel::Warning,
                  "monitor.tensor_stats_include matches no parameter, so no tensor statistics are "
                  "logged");
}

void StepRunner::loadFrom(std::int64_t step) {
  stopLoading();
  flushed_ = Clock::now();
  const config::Experiment& experiment = training_.experiment;
  feed_ = std::make_unique<data::DeviceFeed>(
      data::prefetchTraining(*training_.data.trainLoader, *training_.data.sampler, step,
                             experiment.solver.maxSteps.steps(), training_.loaderThreads),
      training_.device, computeType(experiment.runtime, training_.device));
}

void StepRunner::begin(std::int64_t step) {
  begun_ = Clock::now();
  facts_ = {.step = step, .learningRate = schedule_.learningRate(step)};
  training_.context.phase.step = step;
}

bool StepRunner::computeGradients() {
  const std::vector<at::Tensor> statistics = copyOfStatistics();
  facts_.images = 0;
  facts_.imageIds.clear();
  facts_.times = std::make_shared<StepTimes>(training_.device);
  gradients_->reset();
  model_.update().zeroGradients();
  for (int i = 0; i < training_.data.sampler->accumulate(); ++i) {
    const std::optional<data::Batch> batch = nextBatch();
    if (!batch) {
      for (std::size_t k = 0; k < statistics.size(); ++k)
        model_.model()->buffers()[k].copy_(statistics[k]);
      return false;
    }
    TORCH_CHECK(batch->step == facts_.step && batch->microBatch == i,
                "a batch of another step came");
    accumulateGradients(*batch);
  }
  return true;
}

std::optional<data::Batch> StepRunner::nextBatch() {
  training_.enter(Phase::Data);
  const Clock::time_point asked = Clock::now();
  std::optional<data::Batch> batch;
  try {
    batch = feed_->next();
  } catch (const data::BadImage& image) {
    loadError_.badImage = image;
  } catch (const std::exception&) {
    loadError_.other = std::current_exception();
  }
  const Clock::time_point loaded = Clock::now();
  facts_.dataSeconds += std::chrono::duration<double>(loaded - asked).count();
  // Before anything of the micro-batch that a rank cannot do alone.
  if (training_.context.world.anyRank(!batch)) return std::nullopt;
  facts_.waitSeconds += std::chrono::duration<double>(Clock::now() - loaded).count();
  return batch;
}

void StepRunner::accumulateGradients(const data::Batch& batch) {
  const int microBatches = training_.data.sampler->accumulate();
  const bool isLast = batch.microBatch + 1 == microBatches;
  facts_.images += batch.count();
  facts_.imageIds.insert(facts_.imageIds.end(), batch.ids.begin(), batch.ids.end());
  training_.enter(Phase::Forward);
  facts_.times->begin(StepPart::Forward);
  const model::Losses losses =
      model_.model()->losses(batch.images, batch.sizes, batch.gts, batch.samplingKeys);
  const at::Tensor total = losses.total(training_.experiment.solver.lossWeights);
  training_.enter(Phase::Backward);
  facts_.times->begin(StepPart::Backward);
  gradients_->backward(model_.update().scaled(microBatches > 1 ? total / microBatches : total),
                       recorder_.figuresOf(losses, total, microBatches, isLast), isLast);
  facts_.times->end();
}

std::vector<at::Tensor> StepRunner::copyOfStatistics() const {
  std::vector<at::Tensor> copies;
  // The first micro-batch changes nothing before all ranks know that it can be read.
  if (training_.data.sampler->accumulate() == 1 ||
      !config::hasBatchStatistics(training_.experiment.model.resolvedNorm()))
    return copies;
  for (const at::Tensor& buffer : model_.model()->buffers()) copies.push_back(buffer.clone());
  return copies;
}

LoadError StepRunner::takeLoadError() { return std::exchange(loadError_, {}); }

void StepRunner::updateWeights() {
  training_.enter(Phase::Optimizer);
  facts_.times->begin(StepPart::Optimizer);
  const at::Tensor figures = gradients_->figures();
  facts_.wallTime = base::wallTimeSeconds();
  facts_.images *= training_.context.world.size();
  const solver::WeightUpdate::Figures updated =
      model_.update().apply(facts_.learningRate, StepRecorder::lossesNotFinite(figures),
                            config::isTensorStatsDue(training_.experiment, facts_.step));
  model_.updateAverage();
  facts_.times->end();
  facts_.gradientWaitSeconds = gradients_->waitSeconds();
  facts_.waitSeconds += facts_.gradientWaitSeconds;
  facts_.stepSeconds = std::chrono::duration<double>(Clock::now() - begun_).count();
  recorder_.finishStep(facts_, figures, updated);
  // On a GPU reading it would synchronise every step; flushScalars() reads it later, and until then
  // updates are skipped.
  if (training_.device.is_cpu() && !training_.rangeTest && updated.hasDiverged.item<float>() != 0)
    return flushScalars();  // throws
  training_.state.step = facts_.step;
}

void StepRunner::flushScalars() {
  warnOfCudaGraphs();
  flushed_ = Clock::now();
  if (recorder_.isEmpty()) return;
  // A GPU may have to wait for other ranks before the host can read.
  const bool mayWait = training_.device.is_cuda() && training_.context.world.size() > 1;
  if (mayWait) training_.context.phase.note("gradients", true);
  StepRecorder::Flushed flushed = recorder_.flush();
  if (mayWait) training_.context.phase.note("gradients", false);
  if (training_.rangeTest) {
    addToRangeTest(flushed);
    return training_.send(std::move(flushed.scalars));
  }
  if (flushed.nonFinite)
    std::erase_if(flushed.scalars.records,
                  [&](const auto& record) { return record.step > flushed.nonFinite->step; });
  training_.send(std::move(flushed.scalars));
  if (flushed.nonFinite) throw divergenceError(training_, *model_.model(), *flushed.nonFinite);
}

void StepRunner::addToRangeTest(StepRecorder::Flushed& flushed) {
  for (protocol::Scalars& record : flushed.scalars.records) {
    const bool isFinite = !flushed.nonFinite || record.step < flushed.nonFinite->step;
    training_.rangeTest->add(valueOf(record, tags::kLearningRate),
                             valueOf(record, tags::kTrainTotalLoss), isFinite);
    record.values.emplace_back(tags::kFindLrLoss, training_.rangeTest->steps().back().smoothedLoss);
  }
}

double StepRunner::secondsSinceFlush() const {
  return std::chrono::duration<double>(Clock::now() - flushed_).count();
}

void StepRunner::warnOfCudaGraphs() {
  if (isWarnedOfCudaGraphs_) return;
  const std::string warning = model_.cudaGraphWarning();
  if (warning.empty()) return;
  isWarnedOfCudaGraphs_ = true;
  training_.log(base::LogLevel::Warning, "runtime.cuda_graphs: " + warning);
}

}  // namespace lockstep::train
