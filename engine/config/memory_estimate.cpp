#include "engine/config/memory_estimate.h"

#include <algorithm>
#include <cmath>

#include "engine/config/backbones.h"
#include "engine/config/padded_sizes.h"
#include "engine/config/pyramid.h"
#include "engine/config/resized_size.h"

namespace lockstep::config {
namespace {

constexpr double kFloatBytes = 4, kHalfBytes = 2;
/// LibTorch, workspaces of its threads and decoded images, of system/memory_gib of made scenes at
/// two image sizes and two batch sizes.
constexpr double kProcessBytes = 0.57 * 0x1p30;

using base::ImageSize;

/// The most elongated shapes that augmentation makes of an image before it is resized, and its own.
std::vector<ImageSize> shapesOf(const ImageSize& image, const AugmentConfig& augment) {
  std::vector<ImageSize> shapes{image};
  if (augment.crop > 0) {
    const auto kept = [&augment](std::int64_t side) {
      return std::max<std::int64_t>(1, std::llround(augment.crop * static_cast<double>(side)));
    };
    shapes.push_back({kept(image.height), image.width});
    shapes.push_back({image.height, kept(image.width)});
  }
  if (augment.quarterTurns > 0) {
    for (std::size_t i = shapes.size(); i > 0; --i)
      shapes.push_back({shapes[i - 1].width, shapes[i - 1].height});
  }
  return shapes;
}

/// Padded size of the largest batch: the images of a batch are padded to the largest height and
/// width among them, or to the smallest canonical size that holds these.
ImageSize largestPadding(const Experiment& experiment, const std::vector<coco::Image>& images) {
  const AugmentConfig& augment = experiment.augment;
  const int minSize = std::ranges::max(augment.minSize);
  // Turned or cropped, a wide image may become a tall one.
  const bool keepsAspect = augment.quarterTurns == 0 && augment.crop == 0;
  ImageSize wide, tall;
  for (const coco::Image& image : images) {
    if (image.width <= 0 || image.height <= 0) continue;
    const bool isTall =
        keepsAspect && experiment.dataset.groupByAspect && image.height > image.width;
    ImageSize& group = isTall ? tall : wide;
    for (const ImageSize& shape : shapesOf({image.height, image.width}, augment)) {
      const ImageSize size = resizedSize(shape, minSize, augment.maxSize);
      group.width = std::max(group.width, size.width);
      group.height = std::max(group.height, size.height);
    }
  }
  wide = paddedSize(wide);
  tall = paddedSize(tall);
  const ImageSize largest = tall.height * tall.width > wide.height * wide.width ? tall : wide;
  return augment.padsToCanonicalSizes() ? canonicalSize(augment, largest) : largest;
}

/// Cells per image pixel of an FPN level, or of the backbone stage that it comes from.
double cellsPerPixel(std::size_t level) {
  const double stride = kPyramidStrides[level];
  return 1 / (stride * stride);
}

/// Floats that the backbone saves for its backward pass, per image pixel.
double backboneFloatsPerPixel(const ModelConfig& model) {
  const Backbone& backbone = findBackbone(model.backbone);
  double floats =
      36;  // the stem: convolution and norm of 64 channels at half size, and its pooling
  for (std::size_t stage = 0; stage < backbone.blocks.size(); ++stage) {
    // Each convolution's output is saved before and after its norm; a block's sum once more.
    const int perWidth = backbone.block == BlockKind::Bottleneck ? 2 + 2 + 3 * 4 : 5;
    floats += backbone.blocks[stage] * (backbone.width(stage) * perWidth) * cellsPerPixel(stage);
  }
  return floats;
}

/// Floats of the FPN and of the RPN's convolution, per image pixel.
double pyramidFloatsPerPixel(const ModelConfig& model) {
  double cells = 0;
  for (std::size_t level = 0; level < kPyramidLevels; ++level) cells += cellsPerPixel(level);
  return 4 * model.fpnChannels * cells;
}

double headFloatsPerImage(const ModelConfig& model) {
  const BoxHeadConfig& box = model.boxHead;
  const MaskHeadConfig& mask = model.maskHead;
  const double boxes = std::min(box.batchSizePerImage, model.rpn.postNmsTopNTrain);
  const double boxCells = box.roiResolution * box.roiResolution;
  const double maskCells = mask.roiResolution * mask.roiResolution;
  const double positives = boxes * box.positiveFraction;
  const double perMask =
      maskCells * (model.fpnChannels + 2.0 * mask.convs * mask.channels + 8.0 * mask.channels);
  return boxes * (model.fpnChannels * boxCells + 4.0 * box.fcDim) +
         (model.masks ? positives * perMask : 0);
}

/// Weights, their gradients and the optimizer's state.
double weightFloats(const ModelConfig& model, bool isAdam) {
  const auto backbone = static_cast<double>(findBackbone(model.backbone).parameterCount());
  const BoxHeadConfig& box = model.boxHead;
  const double boxCells = box.roiResolution * box.roiResolution;
  const double fpn = model.fpnChannels;
  const double heads =
      fpn * boxCells * box.fcDim + 1.0 * box.fcDim * box.fcDim +
      9.0 * model.maskHead.convs * model.maskHead.channels * model.maskHead.channels +
      9.0 * kPyramidLevels * fpn * fpn;
  return (backbone + heads) * (isAdam ? 4 : 3);
}

}  // namespace

BatchEstimate estimateLargestBatch(const Experiment& experiment,
                                   const std::vector<coco::Image>& images) {
  const ImageSize size = largestPadding(experiment, images);
  BatchEstimate estimate;
  const int microBatches = std::max(experiment.runtime.workers, 1) * experiment.solver.accumulate;
  estimate.images = std::max(1, experiment.solver.batchSize / microBatches);
  estimate.widthPx = static_cast<int>(size.width);
  estimate.heightPx = static_cast<int>(size.height);
  const ModelConfig& model = experiment.model;
  const double pixels = static_cast<double>(size.width) * size.height;
  const double perImage =
      pixels * (3 + backboneFloatsPerPixel(model) + pyramidFloatsPerPixel(model)) +
      headFloatsPerImage(model);
  estimate.imageBytes =
      (isHalf(experiment.runtime.precision) ? kHalfBytes : kFloatBytes) * perImage;
  estimate.weightBytes =
      kFloatBytes * weightFloats(model, experiment.solver.optimizer == OptimizerKind::AdamW);
  if (experiment.runtime.device == Device::Cpu) estimate.processBytes = kProcessBytes;
  return estimate;
}

int BatchEstimate::imagesIn(double memoryBytes) const {
  if (imageBytes <= 0) return 0;
  return static_cast<int>(std::max(0.0, (memoryBytes - processBytes - weightBytes) / imageBytes));
}

}  // namespace lockstep::config
