#include "engine/data/sample_loader.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "engine/data/image_file.h"

namespace lockstep::data {
namespace {

/// A batch whose sizes are known and whose images are still to be written into their places.
Batch emptyBatch(const std::vector<TransformPlan>& plans) {
  Batch batch;
  for (const TransformPlan& plan : plans) {
    batch.sizes.push_back(plan.resized);
    batch.originalSizes.push_back(plan.original);
  }
  const ImageSize padded = paddedSize(batch.sizes);
  batch.images = at::empty({batch.count(), 3, padded.height, padded.width}, at::kFloat);
  return batch;
}

/// Writes image n of the batch and the zeros right of it and below it.
void writeImageInto(Batch& batch, std::int64_t n, RgbImage image, const TransformPlan& plan) {
  const std::int64_t height = batch.images.size(2), width = batch.images.size(3),
                     plane = height * width;
  float* out = batch.images.mutable_data_ptr<float>() + n * 3 * plane;
  transformImage(std::move(image), plan, {out, width, plane});
  for (int channel = 0; channel < 3; ++channel, out += plane) {
    for (std::int64_t y = 0; y < plan.resized.height; ++y) {
      std::fill(out + y * width + plan.resized.width, out + (y + 1) * width, 0.0f);
    }
    std::fill(out + plan.resized.height * width, out + plane, 0.0f);
  }
}

ImageSize sizeOf(const coco::Image& image) { return {image.height, image.width}; }

}  // namespace

SampleLoader::SampleLoader(const coco::Dataset& dataset, std::filesystem::path imagesFolder,
                           const config::AugmentConfig& augment, std::uint64_t seed,
                           ClassTable classes)
    : dataset_(dataset),
      imagesFolder_(std::move(imagesFolder)),
      augment_(augment),
      seed_(seed),
      classes_(std::move(classes)) {}

Batch SampleLoader::loadTraining(std::span<const Sampler::Draw> draws) const {
  std::vector<std::size_t> indices;
  std::vector<TransformPlan> plans;
  std::vector<std::uint64_t> keys;
  for (const Sampler::Draw& draw : draws) {
    const coco::Image& image = dataset_.images()[draw.imageIndex];
    indices.push_back(draw.imageIndex);
    plans.push_back(planTraining(augment_, sizeOf(image), image.id, draw.epoch, seed_));
    keys.push_back(trainingSamplingKey(seed_, image.id, draw.epoch));
  }
  Batch batch = load(indices, plans);
  batch.samplingKeys = std::move(keys);
  return batch;
}

Batch SampleLoader::loadEvaluation(std::size_t imageIndex) const {
  const coco::Image& image = dataset_.images()[imageIndex];
  Batch batch = load({imageIndex}, {planEvaluation(augment_, sizeOf(image))});
  batch.samplingKeys = {evaluationSamplingKey(seed_, image.id)};
  return batch;
}

Batch SampleLoader::load(const std::vector<std::size_t>& indices,
                         const std::vector<TransformPlan>& plans) const {
  Batch batch = emptyBatch(plans);
  for (std::size_t n = 0; n < indices.size(); ++n) {
    const coco::Image& image = dataset_.images()[indices[n]];
    writeImageInto(batch, static_cast<std::int64_t>(n),
                   readAnnotatedImage(imagesFolder_ / image.fileName, plans[n].original), plans[n]);
    batch.gts.push_back(
        transformAnnotations(dataset_.annotationsOf(indices[n]), classes_, image, plans[n]));
    batch.ids.push_back(image.id);
  }
  return batch;
}

Batch loadForPrediction(const std::filesystem::path& file, ImageId id,
                        const config::AugmentConfig& augment) {
  RgbImage image = readImage(file);
  const TransformPlan plan = planEvaluation(augment, image.size());
  Batch batch = emptyBatch({plan});
  writeImageInto(batch, 0, std::move(image), plan);
  batch.gts.push_back({at::empty({0, 4}, at::kFloat), at::empty({0}, at::kLong),
                       at::empty({0, plan.resized.height, plan.resized.width}, at::kByte)});
  batch.ids = {id};
  batch.samplingKeys = {0};
  return batch;
}

}  // namespace lockstep::data
