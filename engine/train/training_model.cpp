#include "engine/train/training_model.h"

#include <torch/types.h>

#include <utility>
#include <vector>

#include "engine/base/enum_text.h"
#include "engine/checkpoint/load_weights.h"
#include "engine/checkpoint/weights_layout.h"
#include "engine/model/cuda_graph.h"
#include "engine/train/precision.h"

namespace lockstep::train {
namespace {

std::vector<solver::Parameter> solverParameters(const model::MaskRcnn& model) {
  using Role = model::ParameterInfo::Role;
  std::vector<solver::Parameter> parameters;
  for (const model::ParameterInfo& info : model.trainableParameters()) {
    parameters.push_back({info.name, info.tensor, info.inBackbone, info.role == Role::Norm,
                          info.role == Role::Bias});
  }
  return parameters;
}

std::shared_ptr<model::MaskRcnn> makeModel(const Training& training) {
  const config::Experiment& experiment = training.experiment;
  const bool isSync = experiment.model.resolvedNorm() == config::Norm::SyncBatch;
  auto model = std::make_shared<model::MaskRcnn>(
      experiment.model, training.data.trainSet.categories().size() + 1, experiment.runtime.seed,
      isSync ? training.context.world.sumOverRanks(training.device, experiment.runtime.backend)
             : [](at::Tensor&) {});
  model->to(training.device);
  model->setClassWeights(experiment.solver.classWeights.values);
  model->setComputeType(computeType(experiment.runtime, training.device));
  model->train();
  if (!experiment.runtime.cudaGraphs) return model;
  if (training.device.is_cuda()) {
    model->useCudaGraphs(model::cudaGraphCapture());
  } else {
    training.log(base::LogLevel::Warning,
                 "runtime.cuda_graphs: needs a GPU; on the CPU it has no effect");
  }
  return model;
}

}  // namespace

TrainingModel::TrainingModel(const Training& training)
    : training_(training), model_(makeModel(training)) {
  const config::Experiment& experiment = training.experiment;
  update_ = std::make_unique<solver::WeightUpdate>(
      experiment.solver, solverParameters(*model_),
      experiment.runtime.precision == config::Precision::Fp16);
  if (const double decay = experiment.solver.emaDecay; decay > 0)
    average_ = std::make_unique<solver::WeightAverage>(decay, update_->parameters());
}

void TrainingModel::loadInitialWeights() {
  const std::string& weights = training_.experiment.model.weights;
  if (training_.isRankZero() && !weights.empty()) {
    const auto loaded =
        checkpoint::loadWeights(model_->namedState(), checkpoint::readSafetensors(weights),
                                checkpoint::WeightsUse::Initial, weights);
    training_.log(base::LogLevel::Info, weights + ": " + loaded.summary());
  }
  std::vector<at::Tensor> tensors;
  for (const auto& [name, tensor] : model_->namedState()) tensors.push_back(tensor);
  training_.context.world.broadcast(tensors);
}

void TrainingModel::resume(checkpoint::Checkpoint saved, const std::filesystem::path& folder) {
  const solver::NamedTensors model = model_->namedState();
  checkpoint::loadWeights(model, saved.model, checkpoint::WeightsUse::Exactly, folder.string());
  resumeOptimizer(checkpoint::inModelShapes(std::move(saved.optimizer), model),
                  saved.state.optimizer);
}

void TrainingModel::resumeOptimizer(solver::NamedTensors saved, const std::string& savedOptimizer) {
  const solver::NamedTensors trained = solver::takeTrainedWeights(saved);
  if (average_) {
    average_->resume(trained);
  } else {
    solver::restoreTrainedWeights(trained, update_->parameters());
  }
  const bool isOther = savedOptimizer != base::textOf(training_.experiment.solver.optimizer);
  if (!isOther && update_->resume(std::move(saved))) return;
  training_.log(base::LogLevel::Warning,
                "the optimizer starts from scratch: the checkpoint's state is that of " +
                    (isOther ? savedOptimizer : std::string("other trained parameters")));
}

void TrainingModel::updateAverage() {
  if (average_) average_->update();
}

std::unique_ptr<solver::WeightAverage::InPlace> TrainingModel::averageInPlace() const {
  return average_ ? std::make_unique<solver::WeightAverage::InPlace>(*average_) : nullptr;
}

solver::NamedTensors TrainingModel::optimizerState() const {
  solver::NamedTensors state = update_->state();
  if (!average_) return state;
  const solver::NamedTensors trained = average_->trainedWeights();
  state.insert(state.end(), trained.begin(), trained.end());
  return state;
}

void TrainingModel::shareNormStatistics() {
  if (training_.experiment.model.resolvedNorm() == config::Norm::Batch)
    training_.context.world.broadcast(model_->buffers());
}

std::string TrainingModel::cudaGraphWarning() const {
  const model::CudaGraphFunction* graphs = model_->cudaGraphs();
  if (graphs == nullptr) return {};
  if (!graphs->failure().empty())
    return "capture failed, training continues without CUDA graphs: " + graphs->failure();
  if (!graphs->leavesOutShapes()) return {};
  const bool isCanonical = training_.experiment.augment.padsToCanonicalSizes();
  return "batches are padded to more than " +
         std::to_string(model::CudaGraphFunction::kMostShapes) +
         " sizes, and further ones run without: " +
         (isCanonical ? "fewer sizes in augment.min_size" : "augment.pad_to: canonical") +
         " makes them fewer";
}

}  // namespace lockstep::train
