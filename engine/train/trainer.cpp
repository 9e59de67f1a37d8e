#include "engine/train/trainer.h"

#include <torch/types.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/checkpoint/load_weights.h"
#include "engine/solver/gradient_clip.h"
#include "engine/train/device.h"

namespace lockstep::train {
namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::int64_t steps(const config::Duration& duration) {
  return static_cast<std::int64_t>(duration.count);
}

std::vector<solver::Parameter> solverParameters(const model::MaskRcnn& model) {
  using Role = model::ParameterInfo::Role;
  std::vector<solver::Parameter> parameters;
  for (const model::ParameterInfo& info : model.trainableParameters()) {
    parameters.push_back({info.name, info.tensor, info.inBackbone, info.role == Role::Norm,
                          info.role == Role::Bias});
  }
  return parameters;
}

data::SamplerOptions samplerOptions(const config::Experiment& experiment,
                                    const dist::World& world) {
  return {.batchSize = experiment.solver.batchSize,
          .accumulate = experiment.solver.accumulate,
          .rank = world.rank(),
          .worldSize = world.size(),
          .groupByAspect = experiment.dataset.groupByAspect,
          .skipEmpty = experiment.dataset.skipEmpty,
          .seed = static_cast<std::uint64_t>(experiment.runtime.seed)};
}

/// Whether the value is finite in the log, too.
bool fitsFloat(double value) { return std::abs(value) <= std::numeric_limits<float>::max(); }

}  // namespace

Trainer::Trainer(const config::Experiment& experiment, const run_folder::Layout& layout,
                 const TrainerContext& context)
    : experiment_(experiment),
      layout_(layout),
      context_(context),
      device_(prepareDevice(experiment.runtime)),
      trainSet_(coco::Dataset::load(experiment.dataset.train.annotations)),
      schedule_(experiment.solver) {
  at::set_num_threads(experiment_.runtime.cpuThreads);
  const auto seed = static_cast<std::uint64_t>(experiment_.runtime.seed);
  trainLoader_ =
      std::make_unique<data::SampleLoader>(trainSet_, experiment_.dataset.train.images,
                                           experiment_.augment, seed, data::ClassTable(trainSet_));
  sampler_ =
      std::make_unique<data::Sampler>(trainSet_, samplerOptions(experiment_, context_.world));
  if (const config::DatasetPart& part = experiment_.dataset.val; !part.annotations.empty()) {
    heldOutSet_ = coco::Dataset::load(part.annotations);
    heldOutLoader_ = std::make_unique<data::SampleLoader>(
        *heldOutSet_, part.images, experiment_.augment, seed, trainLoader_->classes());
    evaluator_ = std::make_unique<eval::Evaluator>(
        *heldOutLoader_, eval::EvaluatorOptions{.lossWeights = experiment_.solver.lossWeights,
                                                .seed = seed,
                                                .device = device_,
                                                .threads = experiment_.runtime.cpuThreads,
                                                .maxImages = experiment_.evaluation.maxImages});
  }
  makeModel();
}

Trainer::~Trainer() = default;

void Trainer::makeModel() {
  model_ = std::make_shared<model::MaskRcnn>(experiment_.model, trainSet_.categories().size() + 1,
                                             experiment_.runtime.seed);
  model_->to(device_);
  model_->train();
  optimizer_ = solver::makeOptimizer(experiment_.solver, solverParameters(*model_));
  for (const solver::Parameter& parameter : optimizer_->parameters())
    parameters_.push_back(parameter.tensor);

  const config::RuntimeConfig& runtime = experiment_.runtime;
  state_ = {.step = 0,
            .best = std::nullopt,
            .seed = runtime.seed,
            .batchSize = experiment_.solver.batchSize,
            .accumulate = experiment_.solver.accumulate,
            .workers = context_.world.size(),
            .cpuThreads = runtime.cpuThreads,
            .device = device_.is_cpu() ? "cpu" : "cuda",
            .optimizer = experiment_.solver.optimizer,
            .version = LOCKSTEP_VERSION};
}

void Trainer::loadStartWeights() {
  const std::string& weights = experiment_.model.weights;
  if (weights.empty()) return;
  const auto loaded =
      checkpoint::loadWeights(model_->namedState(), checkpoint::readSafetensors(weights),
                              checkpoint::WeightsUse::Start, weights);
  context_.observer.onLog({"info", weights + ": " + loaded.summary(), 0});
}

void Trainer::resume(const std::filesystem::path& checkpointFolder) {
  const checkpoint::Checkpoint saved = checkpoint::loadCheckpoint(checkpointFolder);
  checkpoint::loadWeights(model_->namedState(), saved.model, checkpoint::WeightsUse::Exactly,
                          checkpointFolder.string());
  optimizer_->loadState(saved.optimizer);
  state_.step = saved.state.step;
  state_.best = keptBest_ = saved.state.best;
  savedStep_ = state_.step;
  isResumed_ = true;
  const eval::EvaluationRequest held = eval::figuresIn(layout_.evaluation(state_.step));
  if (held.losses) lossesStep_ = state_.step;
  if (held.averagePrecision) evaluatedStep_ = state_.step;
}

Trainer::Outcome Trainer::run() {
  const std::int64_t lastStep = steps(experiment_.solver.maxSteps);
  if (!isResumed_) loadStartWeights();
  if (!evaluator_) {
    context_.observer.onLog(
        {"warning", "dataset.val is not given: no held-out loss, no AP, no predictions", 0});
  }
  if (state_.step >= lastStep) {
    atBoundary(leftUndone());
    return {state_.step, false};
  }
  const int loaderThreads =
      data::resolveLoaderThreads(experiment_.dataset.loaderThreads, experiment_.runtime.cpuThreads);
  const auto batches =
      data::prefetchTraining(*trainLoader_, *sampler_, state_.step + 1, lastStep, loaderThreads);
  context_.observer.onState({"running", state_.step});
  flushed_ = Clock::now();
  while (state_.step < lastStep) {
    trainStep(*batches, state_.step + 1);
    atBoundary(dueAfter(state_.step));
    if (serveRequests() == Wish::Stop && state_.step < lastStep) {
      flushScalars();
      saveCheckpoint(/*best=*/false, /*last=*/true);
      return {state_.step, true};
    }
  }
  return {state_.step, false};
}

void Trainer::trainStep(data::Prefetcher& batches, std::int64_t step) {
  const Clock::time_point begin = Clock::now();
  const int parts = sampler_->accumulate();
  StepRecorder::HostFacts facts{.step = step, .learningRate = schedule_.learningRate(step)};
  context_.phase.step = step;
  optimizer_->zeroGradients();
  for (int part = 0; part < parts; ++part) {
    enter("data");
    const Clock::time_point asked = Clock::now();
    const data::Batch batch = batches.next().to(device_);
    facts.dataSeconds += secondsSince(asked);
    facts.images += batch.count();
    facts.imageIds.insert(facts.imageIds.end(), batch.ids.begin(), batch.ids.end());
    enter("forward");
    const model::Losses losses =
        model_->losses(batch.images, batch.sizes, batch.gts, batch.samplingKeys);
    const at::Tensor total = losses.total(experiment_.solver.lossWeights);
    recorder_.addPart(losses, total, parts);
    enter("backward");
    (parts > 1 ? total / parts : total).backward();
  }
  enter("optimizer");
  context_.world.averageGradients(parameters_);
  const at::Tensor norm = solver::clipGradientNorm(parameters_, experiment_.solver.clipGradNorm);
  facts.wallTime = base::wallTimeSeconds();
  facts.images *= context_.world.size();
  // On a GPU looking at a value would wait for it every step: there flushScalars() finds it later.
  if (device_.is_cpu() && (recorder_.hasNonFinite() || !fitsFloat(norm.item<double>()))) {
    facts.stepSeconds = secondsSince(begin);
    recorder_.finishStep(facts, norm);
    return flushScalars();  // throws
  }
  optimizer_->step(facts.learningRate);
  facts.stepSeconds = secondsSince(begin);
  recorder_.finishStep(facts, norm);
  state_.step = step;
}

void Trainer::flushScalars() {
  flushed_ = Clock::now();
  if (recorder_.isEmpty()) return;
  const StepRecorder::Flushed flushed = recorder_.flush();
  context_.observer.onSteps(flushed.scalars);
  if (flushed.fault.empty()) return;
  throw Error(flushed.fault + ": " +
              (device_.is_cpu()
                   ? "no update was applied"
                   : "the weights are of no use from there on, resume from the newest checkpoint") +
              ". Lower solver.base_lr, lengthen solver.warmup_steps or set solver.clip_grad_norm, "
              "and look at these images' annotations");
}

Trainer::Due Trainer::dueAfter(std::int64_t step) const {
  const bool last = step == steps(experiment_.solver.maxSteps);
  const auto isDue = [step](const config::Duration& every) {
    return steps(every) > 0 && step % steps(every) == 0;
  };
  Due due;
  if (evaluator_) {
    due.averagePrecision = isDue(experiment_.evaluation.apEvery) ||
                           (last && steps(experiment_.evaluation.apEvery) > 0);
    due.losses = due.averagePrecision || last || isDue(experiment_.evaluation.lossEvery);
    due.predictions = isDue(experiment_.monitor.predictionsEvery) ||
                      (last && steps(experiment_.monitor.predictionsEvery) > 0);
  }
  due.checkpoint = last || isDue(experiment_.checkpoint.every);
  // Scalars are read once per log interval; on a CPU reading costs nothing, and a slow step should
  // not delay the chart.
  due.log = due.losses || due.predictions || due.checkpoint ||
            isDue(experiment_.monitor.logEvery) ||
            (device_.is_cpu() && secondsSince(flushed_) > 1.0);
  return due;
}

Trainer::Due Trainer::leftUndone() const {
  Due due = dueAfter(state_.step);
  due.checkpoint = due.log = false;
  if (evaluatedStep_ == state_.step || (lossesStep_ == state_.step && !due.averagePrecision))
    due.losses = due.averagePrecision = false;
  if (std::filesystem::exists(layout_.predictions(state_.step))) due.predictions = false;
  return due;
}

}  // namespace lockstep::train
