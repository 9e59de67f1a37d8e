#include <torch/types.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <unordered_set>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/file_identity.h"
#include "engine/base/image_size.h"
#include "engine/base/log.h"
#include "engine/eval/evaluator.h"
#include "engine/train/device.h"
#include "engine/train/loaded_model.h"
#include "engine/worker/jobs.h"
#include "engine/worker/overlay.h"
#include "engine/worker/overlay_file.h"

namespace lockstep::worker {
namespace {

using Detections = std::vector<coco::Detection>;

/// An image that was predicted, and where it is.
struct Picture {
  ImageId id;
  std::filesystem::path file;
  std::optional<base::ImageSize> annotatedSize;  ///< of an image of a data set
};

/// Paths that came in a file, as if they had come in the message.
void readPathsFile(protocol::PredictJob& job) {
  if (job.pathsFile.empty()) return;
  const std::string list = base::readFile(job.pathsFile);
  for (std::size_t begin = 0, end; (end = list.find('\0', begin)) != std::string::npos;
       begin = end + 1) {
    job.paths.push_back(list.substr(begin, end - begin));
  }
}

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

/// The number keeps apart files of one name from different folders.
std::filesystem::path overlayOf(const Picture& picture, const std::filesystem::path& folder) {
  return folder / (picture.file.stem().string() + "-" + std::to_string(picture.id.value) + ".png");
}

/// Why an overlay must not be drawn in the place of what is there; empty: it may be.
std::string whyKept(const std::filesystem::path& overlay,
                    const std::unordered_set<base::FileIdentity>& inputs) {
  std::error_code ignored;
  const auto there = std::filesystem::symlink_status(overlay, ignored);
  if (!std::filesystem::exists(there)) return {};
  if (std::filesystem::is_symlink(there))
    return "is a link, and what it leads to would be written over; remove it or ";
  const auto identity = base::FileIdentity::of(overlay);
  if (identity && inputs.contains(*identity)) return "is an image that is read here; ";
  return isOverlay(overlay) ? "" : "is there already and no picture of predict's; remove it or ";
}

/// Drawing takes the place of nothing but what was drawn before.
void refuseToReplacePictures(const std::vector<Picture>& pictures, const std::string& folder) {
  if (folder.empty()) return;
  std::unordered_set<base::FileIdentity> files;
  for (const Picture& picture : pictures) {
    if (const auto file = base::FileIdentity::of(picture.file)) files.insert(*file);
  }
  for (const Picture& picture : pictures) {
    const std::filesystem::path overlay = overlayOf(picture, folder);
    const std::string reason = whyKept(overlay, files);
    if (reason.empty()) continue;
    throw base::mendable("--overlays " + folder + ": " + overlay.filename().string() + " " +
                         reason + "name another folder");
  }
}

void drawOverlays(const protocol::PredictJob& job, Channel& channel,
                  const std::vector<Picture>& pictures, const Detections& detections,
                  const train::LoadedModel& loaded) {
  const eval::Progress progress = progressTo(channel, "drawing");
  OverlayPainter painter(loaded.categories, loaded.categoryNames);
  std::map<std::int64_t, Detections> byImage;
  for (const coco::Detection& detection : detections)
    if (detection.score >= job.overlayScore) byImage[detection.imageId.value].push_back(detection);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Picture& picture = pictures[i];
    data::RgbImage image = picture.annotatedSize
                               ? data::readAnnotatedImage(picture.file, *picture.annotatedSize)
                               : data::readImage(picture.file);
    painter.draw(image, byImage[picture.id.value]);
    writeOverlay(image, overlayOf(picture, job.overlays));
    progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(pictures.size()));
  }
}

/// A job with what it is done with.
struct PredictTask {
  const protocol::PredictJob& job;
  const JobContext& context;
  dist::World& world;
  const config::Experiment& experiment;
  at::Device device;

  int loaderThreads() const {
    return train::loaderThreads(experiment, device, context.place.machineRanks);
  }
  eval::Progress progress() const {
    return world.rank() == 0 ? progressTo(context.channel, "predicting") : eval::Progress{};
  }
};

/// What was predicted, and with what.
struct Predictions {
  std::vector<Picture> pictures;
  Detections detections;
  train::LoadedModel loaded;
  std::size_t unread = 0;  ///< images that were left out
};

/// Names the images that could not be read and leaves them out. That all of them are is a failure.
void leaveOutUnread(Predictions& made, const std::vector<data::ImageFault>& unread) {
  if (unread.empty()) return;
  made.unread = unread.size();
  const bool isAlone = made.pictures.size() == 1;
  for (const data::ImageFault& fault : unread) {
    const std::string line = fault.file + ": " + fault.reason;
    if (isAlone) throw Error(line);
    base::logWarning("worker", line);
  }
  if (unread.size() == made.pictures.size())
    throw Error("none of the " + std::to_string(unread.size()) + " images could be read");
  std::unordered_set<std::int64_t> ids;
  for (const data::ImageFault& fault : unread) ids.insert(fault.id.value);
  std::erase_if(made.pictures,
                [&](const Picture& picture) { return ids.contains(picture.id.value); });
}

/// The images of the part that an evaluation takes.
Predictions predictSplit(const PredictTask& task) {
  const config::Experiment& experiment = task.experiment;
  const config::DatasetSplit& part = partOf(experiment, task.job.split);
  const coco::Dataset dataset = coco::Dataset::load(part.annotations);
  Predictions made;
  made.loaded = train::loadModel(experiment, task.job.model.weights, &dataset, task.device);
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  const data::SampleLoader loader(dataset, part.images, experiment.augment, seed,
                                  data::ClassTable(made.loaded.categories),
                                  data::handoverTo(task.device));
  const eval::Evaluator evaluator(loader, {.lossWeights = experiment.solver.lossWeights,
                                           .seed = seed,
                                           .device = task.device,
                                           .threads = experiment.runtime.cpuThreads,
                                           .loaderThreads = task.loaderThreads(),
                                           .maxImages = experiment.evaluation.maxImages,
                                           .skipsBadImages = experiment.dataset.skipsBadImages(),
                                           .world = &task.world});
  std::vector<std::size_t> indices;
  const auto count = static_cast<std::size_t>(evaluator.imageCount());
  for (const coco::Image& image : std::span(dataset.images()).first(count)) {
    indices.push_back(indices.size());
    made.pictures.push_back({image.id, std::filesystem::path(part.images) / image.fileName,
                             base::ImageSize{image.height, image.width}});
  }
  refuseToReplacePictures(made.pictures, task.job.overlays);
  eval::Detected detected = evaluator.detect(*made.loaded.model, indices, task.progress());
  if (task.world.rank() != 0) return made;
  made.detections = std::move(detected.detections);
  leaveOutUnread(made, detected.badImages);
  return made;
}

Predictions predictFiles(const PredictTask& task) {
  Predictions made;
  made.loaded = train::loadModel(task.experiment, task.job.model.weights, nullptr, task.device);
  std::vector<eval::NumberedFile> files;
  for (const std::string& path : task.job.paths) {
    files.push_back({{static_cast<std::int64_t>(files.size()) + 1}, path});
    made.pictures.push_back({files.back().id, path, std::nullopt});
  }
  refuseToReplacePictures(made.pictures, task.job.overlays);
  eval::Detected detected = eval::detectFiles(*made.loaded.model, files,
                                              {.augment = task.experiment.augment,
                                               .categories = made.loaded.categories,
                                               .device = task.device,
                                               .threads = task.experiment.runtime.cpuThreads,
                                               .loaderThreads = task.loaderThreads(),
                                               .world = &task.world},
                                              task.progress());
  if (task.world.rank() != 0) return made;
  made.detections = std::move(detected.detections);
  leaveOutUnread(made, detected.badImages);
  return made;
}

}  // namespace

protocol::Finished run(const protocol::PredictJob& own, const JobContext& context) {
  dist::World& world = joinWorld(context);
  protocol::PredictJob job = own;
  if (world.rank() == 0) readPathsFile(job);
  job = sharedJob(world, job);
  const config::Experiment experiment = experimentOf(job.model.configYaml);
  const at::Device device = train::prepareDevice(experiment.runtime, context.place.gpu);
  context.phase.phase = protocol::Phase::Predicting;
  const PredictTask task{job, context, world, experiment, device};
  Predictions made = job.paths.empty() ? predictSplit(task) : predictFiles(task);
  if (world.rank() != 0) return {};
  std::erase_if(made.detections,
                [&](const coco::Detection& d) { return d.score < job.scoreThreshold; });
  if (!job.overlays.empty())
    drawOverlays(job, context.channel, made.pictures, made.detections, made.loaded);
  base::writeFileAtomically(job.out, job.paths.empty()
                                         ? coco::detectionsToJson(made.detections) + "\n"
                                         : resultsWithFileNames(made.detections, made.pictures));
  return {.result = protocol::PredictResult{
              .images = static_cast<std::int64_t>(made.pictures.size()),
              .detections = static_cast<std::int64_t>(made.detections.size()),
              .unread = static_cast<std::int64_t>(made.unread)}};
}

}  // namespace lockstep::worker
