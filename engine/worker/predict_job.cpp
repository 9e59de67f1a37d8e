#include <torch/types.h>

#include <fstream>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/file_identity.h"
#include "engine/base/image_size.h"
#include "engine/base/log.h"
#include "engine/coco/files/results.h"
#include "engine/data/image_file.h"
#include "engine/eval/evaluator.h"
#include "engine/train/device.h"
#include "engine/train/loaded_model.h"
#include "engine/worker/jobs.h"
#include "engine/worker/overlay.h"

namespace lockstep::worker {
namespace {

using Detections = std::vector<coco::Detection>;

/// An image to predict, and its file.
struct InputImage {
  ImageId id;
  std::filesystem::path file;
  std::optional<base::ImageSize> annotatedSize;  ///< of an image of a dataset
};

/// Adds the paths of `pathsFile` to `paths`.
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
                                 const std::vector<InputImage>& images) {
  coco::FileNames names;
  for (const InputImage& input : images) names[input.id.value] = input.file.string();
  return coco::detectionsToJson(detections, coco::MaskForm::Rle, &names);
}

/// The id distinguishes files of one name in different folders.
std::filesystem::path overlayOf(const InputImage& input, const std::filesystem::path& folder) {
  return folder / (input.file.stem().string() + "-" + std::to_string(input.id.value) + ".png");
}

/// A tEXt chunk with its length and CRC (PNG specification, section 11.3.3).
constexpr std::string_view kMarker("\0\0\0\x11tEXtSoftware\0lockstep\xd0\x7d\x4f\x27", 29);
/// Offset after the signature and the IHDR chunk, which come first and have a fixed size.
constexpr std::size_t kMarkerOffset = 8 + 25;

/// Writes an overlay as a PNG with a marker in its metadata, so that predict may overwrite it
/// later. Throws Error.
void writeOverlay(const data::RgbImage& image, const std::filesystem::path& file) {
  std::string bytes = data::encodeImage(image, file);
  bytes.insert(kMarkerOffset, kMarker);
  base::writeFileAtomically(file, bytes);
}

/// Whether the file has that marker.
bool isOverlay(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return false;
  std::string beginning(kMarkerOffset + kMarker.size(), '\0');
  std::ifstream stream(file, std::ios::binary);
  stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  return stream && beginning.ends_with(kMarker);
}

/// Why an overlay must not overwrite the existing file, and half of the remedy; empty: it may.
std::string overwriteError(const std::filesystem::path& overlay,
                           const std::unordered_set<base::FileIdentity>& inputs) {
  std::error_code ignored;
  const auto status = std::filesystem::symlink_status(overlay, ignored);
  if (!std::filesystem::exists(status)) return {};
  if (std::filesystem::is_symlink(status))
    return "is a symlink and its target would be overwritten; remove it or ";
  const auto identity = base::FileIdentity::of(overlay);
  if (identity && inputs.contains(*identity)) return "is an input image; ";
  return isOverlay(overlay) ? "" : "already exists and was not written by predict; remove it or ";
}

/// Overlays overwrite only earlier overlays.
void requireNoOverwrite(const std::vector<InputImage>& images, const std::string& folder) {
  if (folder.empty()) return;
  std::unordered_set<base::FileIdentity> files;
  for (const InputImage& input : images) {
    if (const auto file = base::FileIdentity::of(input.file)) files.insert(*file);
  }
  for (const InputImage& input : images) {
    const std::filesystem::path overlay = overlayOf(input, folder);
    const std::string reason = overwriteError(overlay, files);
    if (reason.empty()) continue;
    throw UserError("--overlays " + folder + ": " + overlay.filename().string() + " " + reason +
                    "choose another folder");
  }
}

void drawOverlays(const protocol::PredictJob& job, Channel& channel,
                  const std::vector<InputImage>& images, const Detections& detections,
                  const train::LoadedModel& loaded) {
  const eval::Progress progress = progressTo(channel, "drawing");
  OverlayPainter painter(loaded.categories, loaded.categoryNames);
  std::map<std::int64_t, Detections> byImage;
  for (const coco::Detection& detection : detections)
    if (detection.score >= job.overlayScore) byImage[detection.imageId.value].push_back(detection);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const InputImage& input = images[i];
    data::RgbImage image = input.annotatedSize
                               ? data::readAnnotatedImage(input.file, *input.annotatedSize)
                               : data::readImage(input.file);
    painter.draw(image, byImage[input.id.value]);
    writeOverlay(image, overlayOf(input, job.overlays));
    progress(static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(images.size()));
  }
}

/// A job and its context.
struct PredictTask {
  const protocol::PredictJob& job;
  const JobContext& context;
  dist::World& world;
  const config::Experiment& experiment;
  at::Device device;

  int loaderThreads() const {
    return train::loaderThreads(experiment, device, context.placement.machineRanks);
  }
  eval::Progress progress() const {
    return world.rank() == 0 ? progressTo(context.channel, "predicting") : eval::Progress{};
  }
};

/// The detections, and the model they come from.
struct Predictions {
  std::vector<InputImage> images;
  Detections detections;
  train::LoadedModel loaded;
  std::size_t unreadable = 0;  ///< images that were skipped
};

/// Removes the unreadable images and logs them. Throws Error when no image is readable.
void dropUnreadable(Predictions& predictions, const std::vector<data::BadImageInfo>& unreadable) {
  if (unreadable.empty()) return;
  predictions.unreadable = unreadable.size();
  const bool isSingle = predictions.images.size() == 1;
  for (const data::BadImageInfo& image : unreadable) {
    const std::string line = image.file + ": " + image.reason;
    if (isSingle) throw Error(line);
    base::logWarning("worker", line);
  }
  if (unreadable.size() == predictions.images.size())
    throw Error("none of the " + std::to_string(unreadable.size()) + " images could be read");
  std::unordered_set<std::int64_t> ids;
  for (const data::BadImageInfo& image : unreadable) ids.insert(image.id.value);
  std::erase_if(predictions.images,
                [&](const InputImage& input) { return ids.contains(input.id.value); });
}

/// Predicts the images of a split, as many as an evaluation uses.
Predictions predictSplit(const PredictTask& task) {
  const config::Experiment& experiment = task.experiment;
  const config::DatasetSplit& split = splitOf(experiment, task.job.split);
  const coco::Dataset dataset = coco::Dataset::load(split.annotations);
  Predictions predictions;
  predictions.loaded = train::loadModel(experiment, task.job.model.weights, &dataset, task.device);
  const auto seed = static_cast<std::uint64_t>(experiment.runtime.seed);
  const data::SampleLoader loader(
      dataset, split.images, experiment.augment, data::ClassTable(predictions.loaded.categories),
      {seed, data::loaderOutputFor(task.device), experiment.model.masks});
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
    predictions.images.push_back({image.id, std::filesystem::path(split.images) / image.fileName,
                                  base::ImageSize{image.height, image.width}});
  }
  requireNoOverwrite(predictions.images, task.job.overlays);
  eval::Detected detected = evaluator.detect(*predictions.loaded.model, indices, task.progress());
  if (task.world.rank() != 0) return predictions;
  predictions.detections = std::move(detected.detections);
  dropUnreadable(predictions, detected.badImages);
  return predictions;
}

Predictions predictFiles(const PredictTask& task) {
  Predictions predictions;
  predictions.loaded =
      train::loadModel(task.experiment, task.job.model.weights, nullptr, task.device);
  std::vector<eval::NumberedFile> files;
  for (const std::string& path : task.job.paths) {
    files.push_back({{static_cast<std::int64_t>(files.size()) + 1}, path});
    predictions.images.push_back({files.back().id, path, std::nullopt});
  }
  requireNoOverwrite(predictions.images, task.job.overlays);
  eval::Detected detected = eval::detectFiles(*predictions.loaded.model, files,
                                              {.augment = task.experiment.augment,
                                               .categories = predictions.loaded.categories,
                                               .device = task.device,
                                               .threads = task.experiment.runtime.cpuThreads,
                                               .loaderThreads = task.loaderThreads(),
                                               .world = &task.world},
                                              task.progress());
  if (task.world.rank() != 0) return predictions;
  predictions.detections = std::move(detected.detections);
  dropUnreadable(predictions, detected.badImages);
  return predictions;
}

}  // namespace

protocol::Finished run(const protocol::PredictJob& own, const JobContext& context) {
  dist::World& world = joinWorld(context);
  protocol::PredictJob job = own;
  if (world.rank() == 0) readPathsFile(job);
  job = sharedJob(world, job);
  const config::Experiment experiment = experimentOf(job.model.configYaml);
  const at::Device device = train::prepareDevice(experiment.runtime, context.placement.gpu);
  context.phase.phase = protocol::Phase::Predicting;
  const PredictTask task{job, context, world, experiment, device};
  Predictions predictions = job.paths.empty() ? predictSplit(task) : predictFiles(task);
  if (world.rank() != 0) return {};
  std::erase_if(predictions.detections,
                [&](const coco::Detection& d) { return d.score < job.scoreThreshold; });
  if (!job.overlays.empty())
    drawOverlays(job, context.channel, predictions.images, predictions.detections,
                 predictions.loaded);
  base::writeFileAtomically(job.out,
                            job.paths.empty()
                                ? coco::detectionsToJson(predictions.detections)
                                : resultsWithFileNames(predictions.detections, predictions.images));
  return {.result = protocol::PredictResult{
              .images = static_cast<std::int64_t>(predictions.images.size()),
              .detections = static_cast<std::int64_t>(predictions.detections.size()),
              .unreadable = static_cast<std::int64_t>(predictions.unreadable)}};
}

}  // namespace lockstep::worker
