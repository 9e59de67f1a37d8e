#include <torch/types.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/eval/evaluator.h"
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

Detections above(Detections detections, double scoreThreshold) {
  std::erase_if(detections, [&](const coco::Detection& d) { return d.score < scoreThreshold; });
  return detections;
}

void drawOverlays(const JobContext& context, const std::vector<Picture>& pictures,
                  const Detections& detections, const train::LoadedModel& loaded) {
  const eval::Progress progress = progressTo(context.channel, "drawing");
  std::map<std::int64_t, Detections> byImage;
  for (const coco::Detection& detection : detections)
    byImage[detection.imageId.value].push_back(detection);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Picture& picture = pictures[i];
    // The number keeps apart files of one name from different folders.
    const std::string name =
        picture.file.stem().string() + "-" + std::to_string(picture.id.value) + ".png";
    data::RgbImage image = picture.annotatedSize
                               ? data::readAnnotatedImage(picture.file, *picture.annotatedSize)
                               : data::readImage(picture.file);
    drawDetections(image, byImage[picture.id.value], loaded);
    data::writeImage(image, std::filesystem::path(context.job.overlays) / name);
    progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(pictures.size()));
  }
}

}  // namespace

protocol::Finished runPredict(const JobContext& context) {
  const protocol::Job& job = context.job;
  const config::Experiment experiment = experimentOf(job);
  const at::Device device = train::chooseDevice(experiment.runtime.device);
  context.phase.phase = "predicting";
  std::vector<Picture> pictures;
  Detections detections;
  train::LoadedModel loaded;
  const eval::Progress progress = progressTo(context.channel, "predicting");
  std::string results;

  if (job.paths.empty()) {
    const config::DatasetPart& part = partOf(experiment, job.split);
    const coco::Dataset dataset = coco::Dataset::load(part.annotations);
    loaded = train::loadModel(experiment, job.weights, &dataset, device);
    const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
    const data::SampleLoader loader(dataset, part.images, experiment.augment, seed);
    const eval::Evaluator evaluator(loader, {.lossWeights = experiment.solver.lossWeights,
                                             .seed = seed,
                                             .device = device,
                                             .threads = experiment.runtime.cpuThreads,
                                             .maxImages = experiment.evaluation.maxImages});
    std::vector<std::size_t> indices;
    for (std::int64_t i = 0; i < evaluator.imageCount(); ++i) {
      const coco::Image& image = dataset.images()[i];
      indices.push_back(i);
      pictures.push_back({image.id, std::filesystem::path(part.images) / image.fileName,
                          ops::ImageSize{image.height, image.width}});
    }
    detections = above(evaluator.detect(*loaded.model, indices, progress), job.scoreThreshold);
    results = coco::detectionsToJson(detections) + "\n";
  } else {
    loaded = train::loadModel(experiment, job.weights, nullptr, device);
    for (const std::string& path : job.paths) {
      pictures.push_back({{static_cast<std::int64_t>(pictures.size()) + 1}, path, std::nullopt});
      std::ranges::move(above(eval::detectFile(*loaded.model, path, pictures.back().id,
                                               experiment.augment, loaded.categories, device),
                              job.scoreThreshold),
                        std::back_inserter(detections));
      progress(static_cast<std::int64_t>(pictures.size()),
               static_cast<std::int64_t>(job.paths.size()));
    }
    results = resultsWithFileNames(detections, pictures);
  }
  if (!job.overlays.empty()) drawOverlays(context, pictures, detections, loaded);
  base::writeFileAtomically(job.out, results);
  const nlohmann::json summary{{"images", pictures.size()}, {"detections", detections.size()}};
  return {job.step, false, summary.dump()};
}

}  // namespace lockstep::worker
