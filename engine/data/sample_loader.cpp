#include "engine/data/sample_loader.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>

#include "engine/base/log.h"
#include "engine/config/padded_sizes.h"
#include "engine/data/bad_image.h"
#include "engine/data/image_file.h"
#include "engine/structures/ground_truth.h"
#include "engine/structures/packed_images.h"

namespace lockstep::data {
namespace {

structures::HostMemory memoryOf(LoaderOutput output) {
  return output == LoaderOutput::PinnedDecoded ? structures::HostMemory::Pinned
                                               : structures::HostMemory::Pageable;
}

/// Logs only the first one per process: a dataset may have thousands of such images.
void tellDarkness(const RgbImage& image, const std::filesystem::path& file) {
  static std::atomic_flag isTold;
  const std::string text = darkImageWarning(image, file);
  if (!text.empty() && !isTold.test_and_set())
    base::logWarning("data", text + " (logged once; other images may be as dark)");
}

/// The padding of evaluation, and of training unless augment.pad_to is canonical.
base::ImageSize paddedToLargest(const std::vector<TransformPlan>& plans) {
  std::vector<base::ImageSize> sizes;
  for (const TransformPlan& plan : plans) sizes.push_back(plan.resized);
  return paddedSize(sizes);
}

base::ImageSize paddedForTraining(const config::AugmentConfig& augment,
                                  const std::vector<TransformPlan>& plans) {
  const base::ImageSize largest = paddedToLargest(plans);
  return augment.padsToCanonicalSizes() ? config::canonicalSize(augment, largest) : largest;
}

/// Allocates a batch of known sizes whose images are filled in later.
Batch emptyBatch(const std::vector<TransformPlan>& plans, const base::ImageSize& padded,
                 LoaderOutput output) {
  Batch batch;
  batch.padded = padded;
  std::vector<structures::ImageRow> rows;
  for (const TransformPlan& plan : plans) {
    batch.sizes.push_back(plan.resized);
    batch.originalSizes.push_back(plan.original);
    rows.push_back(imageRow(plan));
  }
  if (output == LoaderOutput::Transformed) {
    batch.images = at::empty({batch.count(), 3, padded.height, padded.width}, at::kFloat);
  } else {
    batch.decoded = structures::makePackedImages(std::move(rows), memoryOf(output));
  }
  return batch;
}

void putImage(Batch& batch, std::int64_t n, RgbImage image, const TransformPlan& plan) {
  if (batch.images.defined()) {
    float* out = batch.images.mutable_data_ptr<float>() +
                 n * batch.images.size(1) * batch.padded.height * batch.padded.width;
    transformImage(std::move(image), plan, batch.padded, out);
    return;
  }
  if (plan.changesColour()) jitterColour(image, plan.brightness, plan.contrast, plan.saturation);
  std::copy_n(image.pixels.get(), plan.original.height * plan.original.width * 3,
              structures::pixelsOf(batch.decoded, n));
}

base::ImageSize sizeOf(const coco::Image& image) { return {image.height, image.width}; }

}  // namespace

SampleLoader::SampleLoader(const coco::Dataset& dataset, std::filesystem::path imagesFolder,
                           const config::AugmentConfig& augment, std::uint64_t seed,
                           ClassTable classes, LoaderOutput output)
    : dataset_(dataset),
      imagesFolder_(std::move(imagesFolder)),
      augment_(augment),
      seed_(seed),
      classes_(std::move(classes)),
      output_(output) {}

Batch SampleLoader::loadTraining(std::span<const Sampler::Draw> draws) const {
  std::vector<std::size_t> indices;
  std::vector<TransformPlan> plans;
  std::vector<std::uint64_t> keys;
  for (const Sampler::Draw& draw : draws) {
    const coco::Image& image = dataset_.images()[draw.imageIndex];
    indices.push_back(draw.imageIndex);
    plans.push_back(planTraining(augment_, sizeOf(image), image.id, draw.occurrence(), seed_));
    keys.push_back(trainingSamplingKey(seed_, image.id, draw.occurrence()));
  }
  Batch batch = load(indices, plans, paddedForTraining(augment_, plans));
  batch.samplingKeys = std::move(keys);
  return batch;
}

Batch SampleLoader::loadEvaluation(std::size_t imageIndex) const {
  const coco::Image& image = dataset_.images()[imageIndex];
  const std::vector<TransformPlan> plans{planEvaluation(augment_, sizeOf(image))};
  Batch batch = load({imageIndex}, plans, paddedToLargest(plans));
  batch.samplingKeys = {evaluationSamplingKey(seed_, image.id)};
  return batch;
}

RgbImage SampleLoader::read(const coco::Image& image) const {
  const std::filesystem::path file = imagesFolder_ / image.fileName;
  try {
    RgbImage pixels = readAnnotatedImage(file, sizeOf(image));
    if (pixels.missingEndMarker) warnMissingEndMarker(image.id, file);
    tellDarkness(pixels, file);
    return pixels;
  } catch (const UnreadableImage& error) {
    throw badImage(image.id, file.string(), error.what());
  }
}

void SampleLoader::warnMissingEndMarker(ImageId id, const std::filesystem::path& file) const {
  const std::lock_guard lock(mutex_);
  if (warned_.insert(id).second) base::logWarning("data", missingEndMarkerText(file));
}

Batch SampleLoader::load(const std::vector<std::size_t>& indices,
                         const std::vector<TransformPlan>& plans,
                         const base::ImageSize& padded) const {
  Batch batch = emptyBatch(plans, padded, output_);
  std::vector<structures::GtInstances> gts;
  for (std::size_t n = 0; n < indices.size(); ++n) {
    const coco::Image& image = dataset_.images()[indices[n]];
    putImage(batch, static_cast<std::int64_t>(n), read(image), plans[n]);
    gts.push_back(
        transformAnnotations(dataset_.annotationsOf(indices[n]), classes_, image, plans[n]));
    batch.ids.push_back(image.id);
  }
  batch.gts = structures::batchGroundTruth(gts, memoryOf(output_));
  return batch;
}

Batch loadForPrediction(const std::filesystem::path& file, ImageId id,
                        const config::AugmentConfig& augment, LoaderOutput output) {
  RgbImage image = readImage(file);
  if (image.missingEndMarker) base::logWarning("data", missingEndMarkerText(file));
  tellDarkness(image, file);
  const TransformPlan plan = planEvaluation(augment, image.size());
  Batch batch = emptyBatch({plan}, paddedToLargest({plan}), output);
  putImage(batch, 0, std::move(image), plan);
  batch.gts = structures::batchGroundTruth({structures::GtInstances{}}, memoryOf(output));
  batch.ids = {id};
  batch.samplingKeys = {0};
  return batch;
}

std::unique_ptr<Prefetcher> prefetchTraining(const SampleLoader& loader, const Sampler& sampler,
                                             std::int64_t firstStep, std::int64_t lastStep,
                                             int threads) {
  const std::int64_t microBatches = sampler.accumulate();
  const auto load = [&loader, &sampler, microBatches](std::int64_t number) {
    const std::int64_t step = number / microBatches + 1;
    const int microBatch = static_cast<int>(number % microBatches);
    Batch batch = loader.loadTraining(sampler.imagesOf(step, microBatch));
    batch.step = step;
    batch.microBatch = microBatch;
    return batch;
  };
  return std::make_unique<Prefetcher>(load, (firstStep - 1) * microBatches, lastStep * microBatches,
                                      threads);
}

}  // namespace lockstep::data
