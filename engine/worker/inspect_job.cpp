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

/// A warm model that answers requests on images of the held-out part and on files.
class Inspector {
 public:
  explicit Inspector(const protocol::Job& job)
      : job_(job),
        experiment_(experimentOf(job)),
        device_(train::prepareDevice(experiment_.runtime, job.gpu)),
        loaderThreads_(train::loaderThreads(experiment_, device_, job.machineRanks)) {
    if (experiment_.dataset.val.annotations.empty()) return;
    heldOut_ = coco::Dataset::load(experiment_.dataset.val.annotations);
  }

  /// Loads weights unless they are the loaded ones: a run that was resumed writes other ones to the
  /// same place. Empty: the job's.
  void use(const std::string& weights) {
    const std::string& wanted = weights.empty() ? job_.weights : weights;
    std::error_code isGone;  // loading says so
    const auto written = std::filesystem::last_write_time(wanted, isGone);
    if (loaded_ && wanted == loadedFrom_ && written == loadedWritten_) return;
    loaded_ = train::loadModel(experiment_, wanted, heldOut_ ? &*heldOut_ : nullptr, device_);
    loadedFrom_ = wanted;
    loadedWritten_ = written;
    if (heldOut_) makeEvaluator();
  }

  protocol::Answer answer(const protocol::Control& control) {
    try {
      use(control.predict.weights);
      if (control.name == "predict") {
        const train::PredictionSource source{*loaded_, evaluator_ ? &*evaluator_ : nullptr,
                                             experiment_, device_, loaderThreads_};
        base::writeFileAtomically(control.out, train::predict(source, control.predict));
      } else if (control.name == "evaluate") {
        if (!evaluator_)
          throw base::mendable("dataset.val is not given: there is nothing to evaluate on");
        eval::Evaluation evaluation = evaluator_->evaluate(*loaded_->model, {});
        evaluation.step = job_.step;
        base::writeFileAtomically(control.out, eval::toJson(evaluation, /*withPerImage=*/true));
      } else {
        throw base::mendable("'" + control.name + "' needs a training run; this is an inspection");
      }
      return {control.id, control.out, ""};
    } catch (const std::exception& error) {
      // Whatever became of one request: the next one finds the model warm.
      return {control.id, "", train::failureOf(error, {.phase = "predicting"}).message};
    }
  }

 private:
  /// For the classes of the loaded model.
  void makeEvaluator() {
    evaluator_.reset();  // it keeps a reference to the loader
    const auto seed = static_cast<std::uint64_t>(experiment_.runtime.seed);
    loader_.emplace(*heldOut_, experiment_.dataset.val.images, experiment_.augment, seed,
                    data::ClassTable(loaded_->categories), data::handoverTo(device_));
    evaluator_.emplace(
        *loader_, eval::EvaluatorOptions{.lossWeights = experiment_.solver.lossWeights,
                                         .seed = seed,
                                         .device = device_,
                                         .threads = experiment_.runtime.cpuThreads,
                                         .loaderThreads = loaderThreads_,
                                         .maxImages = experiment_.evaluation.maxImages,
                                         .skipsBadImages = experiment_.dataset.skipsBadImages()});
  }

  protocol::Job job_;
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

protocol::Finished runInspect(const JobContext& context) {
  Inspector inspector(context.job);
  inspector.use("");
  context.channel.send(protocol::WorkerState{"running", context.job.step});
  for (;;) {
    context.phase.phase = "paused";
    for (const protocol::Control& control : context.mailbox.waitAndTake()) {
      if (control.name == "stop") return {context.job.step, true, ""};
      context.phase.phase = "predicting";
      context.channel.send(inspector.answer(control));
    }
  }
}

}  // namespace lockstep::worker
