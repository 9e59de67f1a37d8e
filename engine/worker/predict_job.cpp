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
    data::RgbImage image = picture.annotatedSize
                               ? data::readAnnotatedImage(picture.file, *picture.annotatedSize)
                               : data::readImage(picture.file);
    painter.draw(image, byImage[picture.id.value]);
    writeOverlay(image, overlayOf(picture, context.job.overlays));
    progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(pictures.size()));
  }
}

/// What was predicted, and with what.
struct Predictions {
  std::vector<Picture> pictures;
  Detections detections;
  train::LoadedModel loaded;
  std::size_t unread = 0;  ///< images that were left out
};

eval::Progress progressOf(const JobContext& context, const dist::World& world) {
  return world.rank() == 0 ? progressTo(context.channel, "predicting") : eval::Progress{};
}

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
               .maxImages = experiment.evaluation.maxImages,
               .skipsBadImages = experiment.dataset.skipsBadImages(),
               .world = &joined.world});
  std::vector<std::size_t> indices;
  const auto count = static_cast<std::size_t>(evaluator.imageCount());
  for (const coco::Image& image : std::span(dataset.images()).first(count)) {
    indices.push_back(indices.size());
    made.pictures.push_back({image.id, std::filesystem::path(part.images) / image.fileName,
                             base::ImageSize{image.height, image.width}});
  }
  refuseToReplacePictures(made.pictures, joined.job.overlays);
  eval::Detected detected =
      evaluator.detect(*made.loaded.model, indices, progressOf(context, joined.world));
  if (joined.world.rank() != 0) return made;
  made.detections = std::move(detected.detections);
  leaveOutUnread(made, detected.badImages);
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
  refuseToReplacePictures(made.pictures, joined.job.overlays);
  eval::Detected detected = eval::detectFiles(
      *made.loaded.model, files,
      {.augment = experiment.augment,
       .categories = made.loaded.categories,
       .device = device,
       .threads = experiment.runtime.cpuThreads,
       .loaderThreads = train::loaderThreads(experiment, device, joined.job.machineRanks),
       .world = &joined.world},
      progressOf(context, joined.world));
  if (joined.world.rank() != 0) return made;
  made.detections = std::move(detected.detections);
  leaveOutUnread(made, detected.badImages);
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
                               {"detections", made.detections.size()},
                               {"unread", made.unread}};
  return {job.step, false, summary.dump()};
}

}  // namespace lockstep::worker
