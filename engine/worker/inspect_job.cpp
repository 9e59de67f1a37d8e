#include <torch/types.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/image_header.h"
#include "engine/base/log.h"
#include "engine/base/pixel_limit.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/data/bad_image.h"
#include "engine/data/image_file.h"
#include "engine/eval/evaluator.h"
#include "engine/train/device.h"
#include "engine/train/failure.h"
#include "engine/train/prediction_request.h"
#include "engine/worker/detection_answer.h"
#include "engine/worker/jobs.h"
#include "engine/worker/pixel_budget.h"

namespace lockstep::worker {
namespace {

/// A reason with its remedy, for who sent the image instead of having its file here.
std::string forTheSender(std::string reason) {
  constexpr std::pair<const char*, const char*> kRemedies[] = {
      {data::kCopyAgain, "send the whole file"}, {data::kRestoreImage, "send one of these"}};
  for (const auto& [here, there] : kRemedies)
    if (const std::string_view own = here; reason.ends_with(own))
      return reason.replace(reason.size() - own.size(), own.size(), there);
  return reason;
}

std::int64_t pixelsIn(const std::string& file) { return base::pixelsOf(base::readFile(file)); }

/// A loaded model that answers requests about the images of its experiment and about image files.
class Inspector {
 public:
  Inspector(const protocol::TrainedModel& model, const JobContext& context)
      : model_(model),
        context_(context),
        experiment_(experimentOf(model.configYaml)),
        device_(train::prepareDevice(experiment_.runtime, context.placement.gpu)),
        loaderThreads_(train::loaderThreads(experiment_, device_, context.placement.machineRanks)) {
    if (experiment_.dataset.val.annotations.empty()) return;
    heldOut_.dataset = coco::Dataset::load(experiment_.dataset.val.annotations);
  }

  /// Loads weights unless they are already loaded; compares the modification time, because a
  /// resumed run overwrites checkpoints. Empty: the job's weights.
  void use(const std::string& weights) {
    const std::string& wanted = weights.empty() ? model_.weights : weights;
    std::error_code isMissing;  // loadModel() throws then
    const auto written = std::filesystem::last_write_time(wanted, isMissing);
    if (loaded_ && wanted == loadedFrom_ && written == loadedWritten_) return;
    loaded_ = train::loadModel(experiment_, wanted, heldOut_.dataset ? &*heldOut_.dataset : nullptr,
                               device_);
    loadedFrom_ = wanted;
    loadedWritten_ = written;
    answers_.emplace(loaded_->categories, loaded_->categoryNames);
    for (Part* part : {&heldOut_, &training_}) part->loader.reset();  // of other classes
  }

  /// Each image is answered on its own, and its file written.
  protocol::Detected detect(const std::string& id, const protocol::Detect& asked) {
    protocol::Detected detected{id, std::vector<protocol::DetectedImage>(asked.images.size())};
    const eval::FileDetectionOptions options{.augment = experiment_.augment,
                                             .categories = loaded_->categories,
                                             .device = device_,
                                             .loaderThreads = loaderThreads_};
    const auto answerImage = [&](std::int64_t i) {
      const protocol::DetectImage& image = asked.images[static_cast<std::size_t>(i)];
      detected.images[static_cast<std::size_t>(i)] = answerOf(image, options);
    };
    eval::forEachImage(std::ssize(asked.images),
                       device_.is_cpu() ? experiment_.runtime.cpuThreads : 1, answerImage);
    return detected;
  }

  protocol::Answer answer(const protocol::Control& control) {
    protocol::Answer answer{.id = control.id, .step = model_.step};
    try {
      train::throwIfCancelled(context_.mailbox, control.id);
      const auto progress = train::progressOf(
          control.id, context_.mailbox,
          [&channel = context_.channel](const auto& message) { channel.send(message); });
      answer.path = std::visit([&](const auto& action) { return answerFile(action, progress); },
                               control.action);
    } catch (const std::exception& error) {
      // A failed request does not unload the model.
      answer.error = train::failureOf(error, {.phase = protocol::Phase::Predicting}).message;
    }
    context_.mailbox.forget(control.id);
    return answer;
  }

 private:
  /// A part of the dataset, read when it is asked for.
  struct Part {
    std::optional<coco::Dataset> dataset;
    std::optional<data::SampleLoader> loader;
  };

  protocol::DetectedImage answerOf(const protocol::DetectImage& asked,
                                   const eval::FileDetectionOptions& options) {
    try {
      const PixelBudget::Share pixels(pixels_, pixelsIn(asked.file));
      const eval::DetectedFile found =
          eval::detectFile(*loaded_->model, {{asked.imageId}, asked.file}, options);
      std::ofstream file(asked.out, std::ios::binary);
      file << answers_->answer(asked, found);
      if (!file.flush()) throw Error("the answer cannot be written");
      return {.width = static_cast<int>(found.size.width),
              .height = static_cast<int>(found.size.height)};
    } catch (const data::BadImage& error) {
      return {.error = "the image " + forTheSender(error.info().reason), .isUndecodable = true};
    } catch (const std::exception& error) {
      // What it says is of this machine, and no client's concern.
      base::logWarning("worker",
                       train::failureOf(error, {.phase = protocol::Phase::Predicting}).message);
      return {.error = "the image could not be detected; the server's log says why"};
    }
  }

  // Each writes the answer to a file and returns its path.
  std::string answerFile(const protocol::Predict& asked, const eval::Progress& progress) {
    return answerOfImages(asked, train::predict, progress);
  }
  std::string answerFile(const protocol::Explain& asked, const eval::Progress& progress) {
    return answerOfImages(asked, train::explain, progress);
  }
  /// `work` makes its text.
  std::string answerOfImages(const auto& asked, const auto& work, const eval::Progress& progress) {
    base::checkWritable(asked.out);
    use(asked.request.weights);
    const train::PredictionSource source{*loaded_,
                                         [this](protocol::Split split) { return loaderOf(split); },
                                         experiment_, options()};
    base::writeFileAtomically(asked.out, work(source, asked.request, progress));
    return asked.out;
  }
  std::string answerFile(const protocol::Evaluate& evaluate, const eval::Progress& progress) {
    base::checkWritable(evaluate.out);
    use("");
    const data::SampleLoader* loader = loaderOf(protocol::Split::Val);
    if (loader == nullptr)
      throw UserError("dataset.val is not given: there is nothing to evaluate on");
    eval::EvaluatorOptions asTrained = options();
    asTrained.maxImages = experiment_.evaluation.maxImages;
    asTrained.params = config::apParams(experiment_.evaluation);
    asTrained.skipsBadImages = experiment_.dataset.skipsBadImages();
    eval::Evaluation evaluation =
        eval::Evaluator(*loader, asTrained).evaluate(*loaded_->model, {}, progress);
    evaluation.step = model_.step;
    base::writeFileAtomically(evaluate.out, eval::toJson(evaluation, /*withPerImage=*/true));
    return evaluate.out;
  }
  std::string answerFile(const protocol::Load& load, const eval::Progress&) {
    use(load.weights);
    return {};
  }
  std::string answerFile(const auto&, const eval::Progress&) {
    throw UserError("inspect does not support this request; send it to a training run");
  }

  /// With the classes of the loaded model; null: there is no such part.
  const data::SampleLoader* loaderOf(protocol::Split split) {
    const bool isHeldOut = split == protocol::Split::Val;
    const config::DatasetSplit& files =
        isHeldOut ? experiment_.dataset.val : experiment_.dataset.train;
    Part& part = isHeldOut ? heldOut_ : training_;
    if (files.annotations.empty()) return nullptr;
    if (!part.dataset) part.dataset = coco::Dataset::load(files.annotations);
    if (!part.loader) {
      part.loader.emplace(
          *part.dataset, files.images, experiment_.augment, data::ClassTable(loaded_->categories),
          data::LoaderOptions{seed(), data::loaderOutputFor(device_), experiment_.model.masks});
    }
    return &*part.loader;
  }

  std::uint64_t seed() const { return static_cast<std::uint64_t>(experiment_.runtime.seed); }
  eval::EvaluatorOptions options() const {
    return {.lossWeights = experiment_.solver.lossWeights,
            .seed = seed(),
            .device = device_,
            .threads = experiment_.runtime.cpuThreads,
            .loaderThreads = loaderThreads_};
  }

  protocol::TrainedModel model_;
  const JobContext& context_;
  config::Experiment experiment_;
  at::Device device_;
  int loaderThreads_;
  Part heldOut_, training_;
  std::optional<train::LoadedModel> loaded_;
  std::optional<DetectionAnswers> answers_;
  /// Of the images of a Detect: a decoded image, its masks and its pictures take about 10 bytes a
  /// pixel.
  PixelBudget pixels_{base::pixelLimit()};
  std::string loadedFrom_;
  std::filesystem::file_time_type loadedWritten_;
};

}  // namespace

protocol::Finished run(const protocol::InspectJob& job, const JobContext& context) {
  Inspector inspector(job.model, context);
  inspector.use("");
  context.channel.send(
      protocol::State{.step = job.model.step, .state = protocol::RunState::Running});
  for (;;) {
    context.phase.phase = protocol::Phase::Paused;
    for (const protocol::Control& control : context.mailbox.waitAndTake()) {
      if (std::holds_alternative<protocol::Stop>(control.action)) return {.stopped = true};
      context.phase.phase = protocol::Phase::Predicting;
      if (const auto* detect = std::get_if<protocol::Detect>(&control.action))
        context.channel.send(inspector.detect(control.id, *detect));
      else
        context.channel.send(inspector.answer(control));
    }
  }
}

}  // namespace lockstep::worker
