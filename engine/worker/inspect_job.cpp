#include <torch/types.h>

#include <filesystem>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/eval/evaluator.h"
#include "engine/train/device.h"
#include "engine/train/failure.h"
#include "engine/train/prediction_request.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {
namespace {

/// A loaded model that answers requests about held-out images and about image files.
class Inspector {
 public:
  Inspector(const protocol::TrainedModel& model, const protocol::RankPlacement& placement)
      : model_(model),
        experiment_(experimentOf(model.configYaml)),
        device_(train::prepareDevice(experiment_.runtime, placement.gpu)),
        loaderThreads_(train::loaderThreads(experiment_, device_, placement.machineRanks)) {
    if (experiment_.dataset.val.annotations.empty()) return;
    heldOut_ = coco::Dataset::load(experiment_.dataset.val.annotations);
  }

  /// Loads weights unless they are already loaded; compares the modification time, because a
  /// resumed run overwrites checkpoints. Empty: the job's weights.
  void use(const std::string& weights) {
    const std::string& wanted = weights.empty() ? model_.weights : weights;
    std::error_code isMissing;  // loadModel() throws then
    const auto written = std::filesystem::last_write_time(wanted, isMissing);
    if (loaded_ && wanted == loadedFrom_ && written == loadedWritten_) return;
    loaded_ = train::loadModel(experiment_, wanted, heldOut_ ? &*heldOut_ : nullptr, device_);
    loadedFrom_ = wanted;
    loadedWritten_ = written;
    if (heldOut_) makeEvaluator();
  }

  protocol::Answer answer(const protocol::Control& control) {
    try {
      const auto toFile = [this](const auto& action) { return answerFile(action); };
      return {control.id, std::visit(toFile, control.action), ""};
    } catch (const std::exception& error) {
      // A failed request does not unload the model.
      const auto failure = train::failureOf(error, {.phase = protocol::Phase::Predicting});
      return {control.id, "", failure.message};
    }
  }

 private:
  /// Each writes the answer to a file and returns its path.
  std::string answerFile(const protocol::Predict& predict) {
    use(predict.request.weights);
    const train::PredictionSource source{*loaded_, evaluator_ ? &*evaluator_ : nullptr, experiment_,
                                         device_, loaderThreads_};
    base::writeFileAtomically(predict.out, train::predict(source, predict.request));
    return predict.out;
  }
  std::string answerFile(const protocol::Evaluate& evaluate) {
    use("");
    if (!evaluator_) throw UserError("dataset.val is not given: there is nothing to evaluate on");
    eval::Evaluation evaluation = evaluator_->evaluate(*loaded_->model, {});
    evaluation.step = model_.step;
    base::writeFileAtomically(evaluate.out, eval::toJson(evaluation, /*withPerImage=*/true));
    return evaluate.out;
  }
  std::string answerFile(const auto&) {
    throw UserError("inspect does not support this request; send it to a training run");
  }

  /// With the classes of the loaded model.
  void makeEvaluator() {
    evaluator_.reset();  // it keeps a reference to the loader
    const auto seed = static_cast<std::uint64_t>(experiment_.runtime.seed);
    loader_.emplace(
        *heldOut_, experiment_.dataset.val.images, experiment_.augment,
        data::ClassTable(loaded_->categories),
        data::LoaderOptions{seed, data::loaderOutputFor(device_), experiment_.model.masks});
    evaluator_.emplace(
        *loader_, eval::EvaluatorOptions{.lossWeights = experiment_.solver.lossWeights,
                                         .seed = seed,
                                         .device = device_,
                                         .threads = experiment_.runtime.cpuThreads,
                                         .loaderThreads = loaderThreads_,
                                         .maxImages = experiment_.evaluation.maxImages,
                                         .skipsBadImages = experiment_.dataset.skipsBadImages()});
  }

  protocol::TrainedModel model_;
  config::Experiment experiment_;
  at::Device device_;
  int loaderThreads_;
  std::optional<coco::Dataset> heldOut_;
  std::optional<data::SampleLoader> loader_;
  std::optional<eval::Evaluator> evaluator_;
  std::optional<train::LoadedModel> loaded_;
  std::string loadedFrom_;
  std::filesystem::file_time_type loadedWritten_;
};

}  // namespace

protocol::Finished run(const protocol::InspectJob& job, const JobContext& context) {
  Inspector inspector(job.model, context.placement);
  inspector.use("");
  context.channel.send(
      protocol::State{.step = job.model.step, .state = protocol::RunState::Running});
  for (;;) {
    context.phase.phase = protocol::Phase::Paused;
    for (const protocol::Control& control : context.mailbox.waitAndTake()) {
      if (std::holds_alternative<protocol::Stop>(control.action)) return {.stopped = true};
      context.phase.phase = protocol::Phase::Predicting;
      context.channel.send(inspector.answer(control));
    }
  }
}

}  // namespace lockstep::worker
