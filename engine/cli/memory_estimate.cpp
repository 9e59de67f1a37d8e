#include "engine/cli/memory_estimate.h"

#include <algorithm>

#include "engine/config/padded_sizes.h"

namespace lockstep::cli {
namespace {

constexpr double kFloatBytes = 4, kHalfBytes = 2;

using config::PaddedSize;

int padded(double px) {
  return static_cast<int>(config::paddedSide(static_cast<std::int64_t>(px)));
}

/// The padded size of an image whose shortest side becomes `minSize`.
PaddedSize resized(const coco::Image& image, int minSize, int maxSize) {
  const double shortest = std::min(image.width, image.height);
  const double longest = std::max(image.width, image.height);
  if (shortest <= 0) return {};
  const double scale = std::min(minSize / shortest, maxSize / longest);
  return {padded(image.height * scale), padded(image.width * scale)};
}

/// Largest padded batch: images of one batch are padded to the largest sides among them, or to the
/// canonical size that holds these.
PaddedSize largestPadding(const config::Experiment& experiment,
                          const std::vector<coco::Image>& images) {
  const int minSize =
      *std::max_element(experiment.augment.minSize.begin(), experiment.augment.minSize.end());
  PaddedSize wide, tall;
  for (const coco::Image& image : images) {
    const bool isTall = experiment.dataset.groupByAspect && image.height > image.width;
    PaddedSize& group = isTall ? tall : wide;
    const PaddedSize size = resized(image, minSize, experiment.augment.maxSize);
    group.width = std::max(group.width, size.width);
    group.height = std::max(group.height, size.height);
  }
  const auto area = [](PaddedSize size) { return static_cast<double>(size.width) * size.height; };
  const PaddedSize largest = area(tall) > area(wide) ? tall : wide;
  return experiment.augment.padsToCanonicalSizes()
             ? config::canonicalSize(experiment.augment, largest.height, largest.width)
             : largest;
}

/// Floats that the backbone keeps for its backward pass, per pixel of the image.
double backboneFloatsPerPixel(const config::ModelConfig& model) {
  struct Stages {
    int blocks[4];
    bool isBottleneck;
  };
  Stages stages{{3, 4, 6, 3}, true};
  if (model.backbone == "resnet18") stages = {{2, 2, 2, 2}, false};
  if (model.backbone == "resnet34") stages = {{3, 4, 6, 3}, false};
  if (model.backbone == "resnet101") stages = {{3, 4, 23, 3}, true};
  double floats =
      36;  // the stem: convolution and norm of 64 channels at half size, and its pooling
  double channels = 64, pixels = 16;
  for (const int blocks : stages.blocks) {
    // Each convolution's output is kept once before and once after its norm; a block's sum once
    // more.
    const double perBlock = stages.isBottleneck ? channels * (2 + 2 + 3 * 4) : channels * 5;
    floats += blocks * perBlock / pixels;
    channels *= 2;
    pixels *= 4;
  }
  return floats;
}

/// Floats of the pyramid and of the proposals' convolution, per pixel.
double pyramidFloatsPerPixel(const config::ModelConfig& model) {
  const double cells = 1.0 / 16 + 1.0 / 64 + 1.0 / 256 + 1.0 / 1024 + 1.0 / 4096;
  return 4 * model.fpnChannels * cells;
}

double headFloatsPerImage(const config::ModelConfig& model) {
  const config::BoxHeadConfig& box = model.boxHead;
  const config::MaskHeadConfig& mask = model.maskHead;
  const double boxes = std::min(box.batchSizePerImage, model.rpn.postNmsTopNTrain);
  const double boxCells = box.roiResolution * box.roiResolution;
  const double maskCells = mask.roiResolution * mask.roiResolution;
  const double positives = boxes * box.positiveFraction;
  const double perMask =
      maskCells * (model.fpnChannels + 2.0 * mask.convs * mask.channels + 8.0 * mask.channels);
  return boxes * (model.fpnChannels * boxCells + 4.0 * box.fcDim) + positives * perMask;
}

/// Weights, their gradients and the optimiser's state.
double weightFloats(const config::ModelConfig& model, bool isAdam) {
  const double backbone = model.backbone == "resnet18"   ? 11e6
                          : model.backbone == "resnet34" ? 21e6
                          : model.backbone == "resnet50" ? 24e6
                                                         : 43e6;
  const config::BoxHeadConfig& box = model.boxHead;
  const double boxCells = box.roiResolution * box.roiResolution;
  const double fpn = model.fpnChannels;
  const double heads =
      fpn * boxCells * box.fcDim + 1.0 * box.fcDim * box.fcDim +
      9.0 * model.maskHead.convs * model.maskHead.channels * model.maskHead.channels +
      9.0 * 5 * fpn * fpn;
  return (backbone + heads) * (isAdam ? 4 : 3);
}

}  // namespace

BatchEstimate estimateLargestBatch(const config::Experiment& experiment,
                                   const std::vector<coco::Image>& images) {
  const PaddedSize size = largestPadding(experiment, images);
  BatchEstimate estimate;
  const int parts = std::max(experiment.runtime.workers, 1) * experiment.solver.accumulate;
  estimate.images = std::max(1, experiment.solver.batchSize / parts);
  estimate.widthPx = size.width;
  estimate.heightPx = size.height;
  const config::ModelConfig& model = experiment.model;
  const double pixels = static_cast<double>(size.width) * size.height;
  const double perImage =
      pixels * (3 + backboneFloatsPerPixel(model) + pyramidFloatsPerPixel(model)) +
      headFloatsPerImage(model);
  estimate.bytes =
      (isHalved(experiment.runtime) ? kHalfBytes : kFloatBytes) * estimate.images * perImage +
      kFloatBytes * weightFloats(model, experiment.solver.optimizer == "adamw");
  return estimate;
}

bool isHalved(const config::RuntimeConfig& runtime) {
  return runtime.precision == "bf16" || runtime.precision == "fp16";
}

}  // namespace lockstep::cli
