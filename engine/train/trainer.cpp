#include "engine/train/trainer.h"

#include <ATen/Parallel.h>
#include <torch/types.h>

#include <filesystem>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/checkpoint/load_weights.h"
#include "engine/checkpoint/weights_layout.h"
#include "engine/data/sample_loader.h"
#include "engine/model/cuda_graph.h"
#include "engine/train/device.h"
#include "engine/train/early_stop.h"
#include "engine/train/precision.h"
#include "engine/train/shared_checkpoint.h"

namespace lockstep::train {
namespace {

using protocol::Phase;
using protocol::RunState;

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
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

}  // namespace

Trainer::Trainer(const config::Experiment& experiment, const run_folder::Layout& layout,
                 const TrainerContext& context)
    : experiment_(experiment),
      layout_(layout),
      context_(context),
      device_(prepareDevice(experiment.runtime, context.gpu)),
      loaderThreads_(loaderThreads(experiment, device_, context.machineRanks)),
      trainSet_(coco::Dataset::load(experiment.dataset.train.annotations)),
      schedule_(experiment.solver),
      recorder_(context.world.rank(), context.world.size()) {
  at::set_num_threads(experiment_.runtime.cpuThreads);
  const auto seed = static_cast<std::uint64_t>(experiment_.runtime.seed);
  trainLoader_ = std::make_unique<data::SampleLoader>(
      trainSet_, experiment_.dataset.train.images, experiment_.augment, seed,
      data::ClassTable(trainSet_), data::handoverTo(device_));
  sampler_ = std::make_unique<data::Sampler>(
      trainSet_, data::samplerOptions(experiment_, context_.world.rank(), context_.world.size()));
  if (experiment_.dataset.hasHeldOut()) {
    const config::DatasetPart& part = experiment_.dataset.val;
    heldOutSet_ = coco::Dataset::load(part.annotations);
    heldOutLoader_ =
        std::make_unique<data::SampleLoader>(*heldOutSet_, part.images, experiment_.augment, seed,
                                             trainLoader_->classes(), data::handoverTo(device_));
    eval::EvaluatorOptions options{.lossWeights = experiment_.solver.lossWeights,
                                   .seed = seed,
                                   .device = device_,
                                   .threads = experiment_.runtime.cpuThreads,
                                   .loaderThreads = loaderThreads_,
                                   .maxImages = experiment_.evaluation.maxImages};
    ownEvaluator_ = std::make_unique<eval::Evaluator>(*heldOutLoader_, options);
    options.world = &context_.world;
    options.skipsBadImages = experiment_.dataset.skipsBadImages();
    evaluator_ = std::make_unique<eval::Evaluator>(*heldOutLoader_, options);
  }
  makeModel();
}

Trainer::~Trainer() = default;

void Trainer::makeModel() {
  dist::World& world = context_.world;
  const bool isSync = experiment_.model.resolvedNorm() == config::Norm::SyncBatch;
  model_ = std::make_shared<model::MaskRcnn>(
      experiment_.model, trainSet_.categories().size() + 1, experiment_.runtime.seed,
      isSync ? world.sumOverRanks(device_, experiment_.runtime.backend) : [](at::Tensor&) {});
  model_->to(device_);
  model_->setComputeType(computeType(experiment_.runtime, device_));
  model_->train();
  if (experiment_.runtime.cudaGraphs) useCudaGraphs();
  update_ = std::make_unique<solver::WeightUpdate>(
      experiment_.solver, solverParameters(*model_),
      experiment_.runtime.precision == config::Precision::Fp16);
  gradients_ = world.averageGradients(update_->tensors(), recorder_.figureCount(),
                                      experiment_.runtime.backend);
  if (const double decay = experiment_.solver.emaDecay; decay > 0)
    average_ = std::make_unique<solver::WeightAverage>(decay, update_->parameters());

  const config::RuntimeConfig& runtime = experiment_.runtime;
  state_ = {.step = 0,
            .best = std::nullopt,
            .earlyStop = std::nullopt,
            .seed = runtime.seed,
            .batchSize = experiment_.solver.batchSize,
            .accumulate = experiment_.solver.accumulate,
            .workers = context_.world.size(),
            .cpuThreads = runtime.cpuThreads,
            .device = base::textOf(device_.is_cpu() ? config::Device::Cpu : config::Device::Cuda),
            .optimizer = base::textOf(experiment_.solver.optimizer),
            .version = LOCKSTEP_VERSION,
            .data = run_folder::dataFingerprints(trainSet_, heldOutSet_ ? &*heldOutSet_ : nullptr)};
}

void Trainer::useCudaGraphs() {
  if (device_.is_cuda()) return model_->useCudaGraphs(model::cudaGraphCapture());
  log(base::LogLevel::Warning, "runtime.cuda_graphs: is for GPUs; the CPU does without");
}

void Trainer::tellOfCudaGraphs() {
  const model::CudaGraphFunction* graphs = model_->cudaGraphs();
  if (isCudaGraphTroubleTold_ || graphs == nullptr) return;
  std::string trouble;
  if (!graphs->failure().empty()) {
    trouble = "recording failed, training goes on without: " + graphs->failure();
  } else if (graphs->leavesOutShapes()) {
    trouble = "batches are padded to more than " +
              std::to_string(model::CudaGraphFunction::kMostShapes) +
              " sizes, and further ones run without: " +
              (experiment_.augment.padsToCanonicalSizes() ? "fewer sizes in augment.min_size"
                                                          : "augment.pad_to: canonical") +
              " makes them fewer";
  }
  if (trouble.empty()) return;
  isCudaGraphTroubleTold_ = true;
  log(base::LogLevel::Warning, "runtime.cuda_graphs: " + trouble);
}

void Trainer::loadStartWeights() {
  const std::string& weights = experiment_.model.weights;
  if (isLeader() && !weights.empty()) {
    const auto loaded =
        checkpoint::loadWeights(model_->namedState(), checkpoint::readSafetensors(weights),
                                checkpoint::WeightsUse::Start, weights);
    log(base::LogLevel::Info, weights + ": " + loaded.summary());
  }
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : model_->namedState()) tensors.push_back(tensor);
  context_.world.broadcast(tensors);
}

void Trainer::resume(const std::filesystem::path& checkpointFolder) {
  checkpoint::Checkpoint saved = loadSharedCheckpoint(context_.world, checkpointFolder);
  const solver::NamedTensors model = model_->namedState();
  checkpoint::loadWeights(model, saved.model, checkpoint::WeightsUse::Exactly,
                          checkpointFolder.string());
  resumeOptimizer(checkpoint::inModelShapes(std::move(saved.optimizer), model),
                  saved.state.optimizer);
  state_.step = saved.state.step;
  state_.earlyStop = saved.state.earlyStop;
  stopsEarly_ = state_.stopsEarly(experiment_.evaluation.earlyStop);
  state_.lacksEvaluation = saved.state.lacksEvaluation;
  resumeBadImages(saved.state);
  // As the supervisor does: a best whose checkpoint is gone is none.
  if (saved.state.best && (!experiment_.checkpoint.keepBest ||
                           std::filesystem::exists(checkpointFolder.parent_path() /
                                                   run_folder::stepName(saved.state.best->step)))) {
    state_.best = keptBest_ = saved.state.best;
  }
  // An evaluation made up for counts for the best and for early stopping: the checkpoint that lacks
  // it is written again.
  if (!state_.lacksEvaluation) savedStep_ = state_.step;
  isResumed_ = true;
  const eval::EvaluationRequest held = eval::figuresIn(layout_.evaluation(state_.step));
  if (held.losses) lossesStep_ = state_.step;
  if (held.averagePrecision) evaluatedStep_ = state_.step;
}

void Trainer::resumeOptimizer(solver::NamedTensors saved, const std::string& savedOptimizer) {
  const solver::NamedTensors trained = solver::takeTrainedWeights(saved);
  if (average_) {
    average_->resume(trained);
  } else {
    solver::restoreTrainedWeights(trained, update_->parameters());
  }
  const bool isOther = savedOptimizer != base::textOf(experiment_.solver.optimizer);
  if (!isOther && update_->resume(std::move(saved))) return;
  log(base::LogLevel::Warning,
      "the optimizer begins anew: the checkpoint's state is that of " +
          (isOther ? savedOptimizer : std::string("other trained parameters")));
}

bool Trainer::isAtEnd() const {
  return state_.step >= experiment_.solver.maxSteps.steps() || stopsEarly_;
}

Trainer::Outcome Trainer::run() {
  const std::int64_t lastStep = experiment_.solver.maxSteps.steps();
  refuseOtherData();
  if (!isResumed_) loadStartWeights();
  if (!evaluator_) {
    log(base::LogLevel::Warning,
        "dataset.val is not given: no held-out loss, no AP, no predictions");
  }
  if (isAtEnd()) {
    atBoundary(leftUndone(/*isLast=*/true));
    return {state_.step, false};
  }
  if (state_.lacksEvaluation) atBoundary(leftUndone(/*isLast=*/false));
  loadFrom(state_.step + 1);
  tellState(RunState::Running);
  flushed_ = Clock::now();
  while (!isAtEnd()) {
    trainStep(state_.step + 1);
    atBoundary(dueAfter(state_.step, state_.step == lastStep));
    if (serveRequests() == Wish::Stop && !isAtEnd()) {
      flushScalars();
      saveCheckpoint(/*best=*/false, /*last=*/true);
      return {state_.step, true};
    }
  }
  if (state_.step < lastStep) {
    if (isLeader()) {  // the others were only told that it is so
      log(base::LogLevel::Info,
          "stopping early: " +
              earlyStopReason(experiment_.evaluation.earlyStop, *state_.earlyStop));
    }
    atBoundary(leftUndone(/*isLast=*/true));
  }
  return {state_.step, false};
}

void Trainer::loadFrom(std::int64_t step) {
  feed_.reset();
  feed_ = std::make_unique<data::DeviceFeed>(
      data::prefetchTraining(*trainLoader_, *sampler_, step, experiment_.solver.maxSteps.steps(),
                             loaderThreads_),
      device_, computeType(experiment_.runtime, device_));
}

void Trainer::trainStep(std::int64_t step) {
  const Clock::time_point begin = Clock::now();
  StepRecorder::HostFacts facts{.step = step, .learningRate = schedule_.learningRate(step)};
  context_.phase.step = step;
  if (context_.world.size() > 1) context_.world.beginAgreement(!context_.mailbox.isEmpty());
  while (!computeGradients(step, facts)) leaveOutBadImages(step);
  tellLeftOut(step);
  enter(Phase::Optimizer);
  const at::Tensor figures = gradients_->figures();
  facts.wallTime = base::wallTimeSeconds();
  facts.images *= context_.world.size();
  const solver::WeightUpdate::Figures updated =
      update_->apply(facts.learningRate, StepRecorder::lossesNotFinite(figures));
  if (average_) average_->update();
  facts.waitSeconds += gradients_->waitSeconds();
  facts.stepSeconds = secondsSince(begin);
  recorder_.finishStep(facts, figures, updated);
  // On a GPU looking at it would wait for the device every step: there flushScalars() finds it
  // later, and until then no step changes anything.
  if (device_.is_cpu() && updated.hasDiverged.item<float>() != 0) return flushScalars();  // throws
  state_.step = step;
}

bool Trainer::computeGradients(std::int64_t step, StepRecorder::HostFacts& facts) {
  const int parts = sampler_->accumulate();
  const std::vector<at::Tensor> statistics = copyOfStatistics();
  facts.images = 0;
  facts.imageIds.clear();
  gradients_->beginAnew();
  update_->zeroGradients();
  for (int part = 0; part < parts; ++part) {
    const std::optional<data::Batch> batch = nextBatch(facts);
    if (!batch) {
      for (std::size_t i = 0; i < statistics.size(); ++i) model_->buffers()[i].copy_(statistics[i]);
      return false;
    }
    TORCH_CHECK(batch->step == step && batch->part == part, "a batch of another step came");
    facts.images += batch->count();
    facts.imageIds.insert(facts.imageIds.end(), batch->ids.begin(), batch->ids.end());
    enter(Phase::Forward);
    const model::Losses losses =
        model_->losses(batch->images, batch->sizes, batch->gts, batch->samplingKeys);
    const at::Tensor total = losses.total(experiment_.solver.lossWeights);
    const bool isLast = part + 1 == parts;
    enter(Phase::Backward);
    gradients_->backward(update_->scaled(parts > 1 ? total / parts : total),
                         recorder_.figuresOf(losses, total, parts, isLast), isLast);
  }
  return true;
}

void Trainer::flushScalars() {
  tellOfCudaGraphs();
  flushed_ = Clock::now();
  if (recorder_.isEmpty()) return;
  // A GPU may have to wait for other ranks before it can tell.
  const bool mayWait = device_.is_cuda() && context_.world.size() > 1;
  if (mayWait) context_.phase.note("gradients", true);
  StepRecorder::Flushed flushed = recorder_.flush();
  if (mayWait) context_.phase.note("gradients", false);
  if (flushed.fault)
    std::erase_if(flushed.scalars.records,
                  [&](const auto& record) { return record.step > flushed.fault->step; });
  tell(flushed.scalars);
  if (flushed.fault) throw diverged(*flushed.fault);
}

config::Due Trainer::dueAfter(std::int64_t step, bool isLast) const {
  config::Due due = config::dueAfter(experiment_, step, isLast);
  // Scalars are read once per log interval; on a CPU reading costs nothing, and a slow step should
  // not delay the chart.
  due.log = due.log || (device_.is_cpu() && secondsSince(flushed_) > 1.0);
  return due;
}

config::Due Trainer::leftUndone(bool isLast) {
  config::Due due = dueAfter(state_.step, isLast);
  due.checkpoint = savedStep_ != state_.step;
  due.log = false;
  const bool isEvaluated =
      evaluatedStep_ == state_.step || (lossesStep_ == state_.step && !due.averagePrecision);
  if (isEvaluated && !state_.lacksEvaluation) due.losses = due.averagePrecision = false;
  if (std::filesystem::exists(layout_.predictions(state_.step))) due.predictions = false;
  due.losses = decided(due.losses);
  due.averagePrecision = decided(due.averagePrecision);
  due.predictions = decided(due.predictions);
  return due;
}

}  // namespace lockstep::train
