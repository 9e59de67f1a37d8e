#include "engine/data/sample_loader.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <atomic>

#include "engine/base/counter_hash.h"
#include "engine/base/log.h"
#include "engine/config/padded_sizes.h"
#include "engine/data/bad_image.h"
#include "engine/data/copy_paste.h"
#include "engine/data/image_file.h"
#include "engine/data/photometric.h"
#include "engine/data/transform.h"
#include "engine/structures/ground_truth.h"
#include "engine/structures/packed_images.h"

namespace lockstep::data {
namespace {

using base::RandomPurpose;

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

/// Allocates a batch of known sizes whose images are filled in later.
Batch emptyBatch(std::span<const TransformPlan> plans, const base::ImageSize& padded,
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

/// The image has the size plan.croppedSize() and its final colours.
void putImage(Batch& batch, std::int64_t n, const RgbImage& image, const TransformPlan& plan) {
  if (batch.images.defined()) {
    float* out = batch.images.mutable_data_ptr<float>() +
                 n * batch.images.size(1) * batch.padded.height * batch.padded.width;
    resizeImage(image, plan, batch.padded, out);
    return;
  }
  std::copy_n(image.pixels.get(), plan.croppedSize().height * plan.croppedSize().width * 3,
              structures::pixelsOf(batch.decoded, n));
}

base::ImageSize sizeOf(const coco::Image& image) { return {image.height, image.width}; }

}  // namespace

SampleLoader::SampleLoader(const coco::Dataset& dataset, std::filesystem::path imagesFolder,
                           const config::AugmentConfig& augment, ClassTable classes,
                           LoaderOptions options)
    : dataset_(dataset),
      imagesFolder_(std::move(imagesFolder)),
      augment_(augment),
      classes_(std::move(classes)),
      options_(std::move(options)) {}

Batch SampleLoader::loadTraining(std::span<const Sampler::Draw> draws) const {
  std::vector<Item> items;
  std::vector<base::ImageSize> sizes;
  std::vector<std::uint64_t> keys;
  for (const Sampler::Draw& draw : draws) {
    const coco::Image& image = dataset_.images()[draw.imageIndex];
    keys.push_back(trainingSamplingKey(options_.seed, image.id, draw.occurrence()));
    items.push_back(
        {draw.imageIndex,
         planTraining(augment_, sizeOf(image), image.id, draw.occurrence(), options_.seed),
         draw.donorIndex,
         base::counterHash({keys.back(), static_cast<std::uint64_t>(RandomPurpose::CopyPaste)})});
    sizes.push_back(items.back().plan.resized);
  }
  const base::ImageSize largest = paddedSize(sizes);
  Batch batch = load(
      items, augment_.padsToCanonicalSizes() ? config::canonicalSize(augment_, largest) : largest);
  batch.samplingKeys = std::move(keys);
  return batch;
}

Batch SampleLoader::loadEvaluation(std::size_t imageIndex) const {
  const coco::Image& image = dataset_.images()[imageIndex];
  const TransformPlan plan = planEvaluation(augment_, sizeOf(image));
  Batch batch = load({{imageIndex, plan}}, paddedSize({plan.resized}));
  batch.samplingKeys = {evaluationSamplingKey(options_.seed, image.id)};
  return batch;
}

std::shared_ptr<const RgbImage> SampleLoader::read(const coco::Image& image) const {
  const std::filesystem::path file = imagesFolder_ / image.fileName;
  if (options_.cache)
    if (auto cached = options_.cache->find(file)) return cached;
  try {
    const auto pixels = std::make_shared<const RgbImage>(readAnnotatedImage(file, sizeOf(image)));
    if (pixels->missingEndMarker) warnMissingEndMarker(image.id, file);
    tellDarkness(*pixels, file);
    if (options_.cache) options_.cache->add(file, pixels);
    return pixels;
  } catch (const UnreadableImage& error) {
    throw badImage(image.id, file.string(), error.what());
  }
}

void SampleLoader::warnMissingEndMarker(ImageId id, const std::filesystem::path& file) const {
  const std::lock_guard lock(mutex_);
  if (warned_.insert(id).second) base::logWarning("data", missingEndMarkerText(file));
}

Batch SampleLoader::load(const std::vector<Item>& items, const base::ImageSize& padded) const {
  std::vector<TransformPlan> plans;
  for (const Item& item : items) plans.push_back(item.plan);
  Batch batch = emptyBatch(plans, padded, options_.output);
  std::vector<structures::GtInstances> gts;
  for (std::size_t n = 0; n < items.size(); ++n) {
    gts.push_back(loadInto(batch, static_cast<std::int64_t>(n), items[n]));
    batch.ids.push_back(dataset_.images()[items[n].imageIndex].id);
  }
  batch.gts = structures::batchGroundTruth(gts, memoryOf(options_.output));
  return batch;
}

structures::GtInstances SampleLoader::loadInto(Batch& batch, std::int64_t n,
                                               const Item& item) const {
  const std::vector<coco::Annotation>& annotations = dataset_.annotationsOf(item.imageIndex);
  const std::shared_ptr<const RgbImage> image = read(dataset_.images()[item.imageIndex]);
  const TransformPlan& plan = item.plan;
  if (!plan.isTurnedOrCropped() && !item.donorIndex) {
    if (plan.changesColour()) {
      RgbImage changed = copyOf(*image);
      changeColours(changed, plan);
      putImage(batch, n, changed, plan);
    } else {
      putImage(batch, n, *image, plan);
    }
    return transformAnnotations(annotations, classes_, plan, options_.masks);
  }
  AnnotatedImage made = composed(*image, item);
  if (plan.changesColour()) changeColours(made.pixels, plan);
  putImage(batch, n, made.pixels, plan);
  return transformAnnotations(made.annotations, classes_, plan, options_.masks);
}

AnnotatedImage SampleLoader::composed(const RgbImage& image, const Item& item) const {
  AnnotatedImage made = turnAndCrop(image, dataset_.annotationsOf(item.imageIndex), item.plan);
  if (!item.donorIndex) return made;
  const coco::Image& donor = dataset_.images()[*item.donorIndex];
  const TransformPlan plan =
      planTraining(augment_, sizeOf(donor), donor.id, /*occurrence=*/0, item.pasteKey);
  pasteObjects(made,
               turnAndCrop(*read(donor), dataset_.annotationsOf(*item.donorIndex), plan,
                           /*withFlips=*/true),
               planPaste(item.plan, plan, item.pasteKey));
  return made;
}

Batch loadForPrediction(const std::filesystem::path& file, ImageId id,
                        const config::AugmentConfig& augment, LoaderOutput output) {
  const RgbImage image = readImage(file);
  if (image.missingEndMarker) base::logWarning("data", missingEndMarkerText(file));
  tellDarkness(image, file);
  const TransformPlan plan = planEvaluation(augment, image.size());
  Batch batch = emptyBatch({&plan, 1}, paddedSize({plan.resized}), output);
  putImage(batch, 0, image, plan);
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
