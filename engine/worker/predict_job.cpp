#include <torch/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/eval/evaluator.h"
#include "engine/train/device.h"
#include "engine/train/loaded_model.h"
#include "engine/worker/jobs.h"
#include "engine/worker/overlay.h"

namespace lockstep::worker {
namespace {

using Detections = std::vector<coco::Detection>;

/// An image that was predicted, and where it is.
struct Picture {
  ImageId id;
  std::filesystem::path file;
  std::optional<ops::ImageSize> annotatedSize;  ///< of an image of a data set
};

/// COCO results, each with its `file_name`.
std::string resultsWithFileNames(const Detections& detections,
                                 const std::vector<Picture>& pictures) {
  std::map<std::int64_t, std::string> names;
  for (const Picture& picture : pictures) names[picture.id.value] = picture.file.string();
  auto results = nlohmann::ordered_json::parse(coco::detectionsToJson(detections));
  for (auto& result : results)
    result["file_name"] = names.at(result.at("image_id").get<std::int64_t>());
  return results.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void drawOverlays(const JobContext& context, const std::vector<Picture>& pictures,
                  const Detections& detections, const train::LoadedModel& loaded) {
  const eval::Progress progress = progressTo(context.channel, "drawing");
  OverlayPainter painter(loaded.categories, loaded.categoryNames);
  std::map<std::int64_t, Detections> byImage;
  for (const coco::Detection& detection : detections)
    if (detection.score >= context.job.overlayScore)
      byImage[detection.imageId.value].push_back(detection);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Picture& picture = pictures[i];
    // The number keeps apart files of one name from different folders.
    const std::string name =
        picture.file.stem().string() + "-" + std::to_string(picture.id.value) + ".png";
    data::RgbImage image = picture.annotatedSize
                               ? data::readAnnotatedImage(picture.file, *picture.annotatedSize)
                               : data::readImage(picture.file);
    painter.draw(image, byImage[picture.id.value]);
    data::writeImage(image, std::filesystem::path(context.job.overlays) / name);
    progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(pictures.size()));
  }
}

/// What was predicted, and with what.
struct Predictions {
  std::vector<Picture> pictures;
  Detections detections;
  train::LoadedModel loaded;
};

eval::Progress progressOf(const JobContext& context, const dist::World& world) {
  return world.rank() == 0 ? progressTo(context.channel, "predicting") : eval::Progress{};
}

/// Every image of the part: evaluation.max_images is about evaluations.
Predictions predictSplit(const JobContext& context, const JoinedWorld& joined,
                         const config::Experiment& experiment, at::Device device) {
  const config::DatasetPart& part = partOf(experiment, joined.job.split);
  const coco::Dataset dataset = coco::Dataset::load(part.annotations);
  Predictions made;
  made.loaded = train::loadModel(experiment, joined.job.weights, &dataset, device);
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  const data::SampleLoader loader(dataset, part.images, experiment.augment, seed,
                                  data::ClassTable(made.loaded.categories),
                                  data::handoverTo(device));
  const eval::Evaluator evaluator(
      loader, {.lossWeights = experiment.solver.lossWeights,
               .seed = seed,
               .device = device,
               .threads = experiment.runtime.cpuThreads,
               .loaderThreads = train::loaderThreads(experiment, device, joined.job.machineRanks),
               .maxImages = 0,
               .world = &joined.world});
  std::vector<std::size_t> indices;
  for (const coco::Image& image : dataset.images()) {
    indices.push_back(indices.size());
    made.pictures.push_back({image.id, std::filesystem::path(part.images) / image.fileName,
                             ops::ImageSize{image.height, image.width}});
  }
  made.detections =
      evaluator.detect(*made.loaded.model, indices, progressOf(context, joined.world)).detections;
  return made;
}

Predictions predictFiles(const JobContext& context, const JoinedWorld& joined,
                         const config::Experiment& experiment, at::Device device) {
  Predictions made;
  made.loaded = train::loadModel(experiment, joined.job.weights, nullptr, device);
  std::vector<eval::NumberedFile> files;
  for (const std::string& path : joined.job.paths) {
    files.push_back({{static_cast<std::int64_t>(files.size()) + 1}, path});
    made.pictures.push_back({files.back().id, path, std::nullopt});
  }
  made.detections = eval::detectFiles(
      *made.loaded.model, files,
      {.augment = experiment.augment,
       .categories = made.loaded.categories,
       .device = device,
       .threads = experiment.runtime.cpuThreads,
       .loaderThreads = train::loaderThreads(experiment, device, joined.job.machineRanks),
       .world = &joined.world},
      progressOf(context, joined.world));
  return made;
}

}  // namespace

protocol::Finished runPredict(const JobContext& context) {
  const JoinedWorld joined = joinWorld(context);
  const protocol::Job& job = joined.job;
  const config::Experiment experiment = experimentOf(job);
  const at::Device device = train::prepareDevice(experiment.runtime, job.gpu);
  context.phase.phase = "predicting";
  Predictions made = job.paths.empty() ? predictSplit(context, joined, experiment, device)
                                       : predictFiles(context, joined, experiment, device);
  if (joined.world.rank() != 0) return {job.step, false, ""};
  std::erase_if(made.detections,
                [&](const coco::Detection& d) { return d.score < job.scoreThreshold; });
  if (!job.overlays.empty()) drawOverlays(context, made.pictures, made.detections, made.loaded);
  base::writeFileAtomically(job.out, job.paths.empty()
                                         ? coco::detectionsToJson(made.detections) + "\n"
                                         : resultsWithFileNames(made.detections, made.pictures));
  const nlohmann::json summary{{"images", made.pictures.size()},
                               {"detections", made.detections.size()}};
  return {job.step, false, summary.dump()};
}

}  // namespace lockstep::worker
