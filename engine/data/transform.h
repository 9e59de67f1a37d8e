#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"
#include "engine/data/class_table.h"
#include "engine/data/image_file.h"
#include "engine/structures/image_row.h"
#include "engine/structures/instances.h"

/// From decoded pixels and annotations to what the model sees, with torchvision's semantics
/// (GeneralizedRCNNTransform): to [0,1], normalised, resized bilinear without antialias in float32;
/// masks resized by nearest; boxes by the true ratios.
namespace lockstep::data {

/// All that is decided about one image before a pixel is read.
struct TransformPlan {
  base::ImageSize original, resized;  ///< px
  bool flipHorizontal = false;
  bool flipVertical = false;
  double brightness = 1, contrast = 1, saturation = 1;  ///< factors, 1: as it is

  bool changesColour() const { return brightness != 1 || contrast != 1 || saturation != 1; }
};

/// What training does to an image in an epoch: a pure function of its arguments. Jitter factors are
/// uniform in [max(0, 1 - x), 1 + x]; the shortest side is one of min_size.
TransformPlan planTraining(const config::AugmentConfig& augment, base::ImageSize original,
                           ImageId id, std::int64_t epoch, std::uint64_t seed);
/// What evaluation and prediction do: the last of min_size, nothing else.
TransformPlan planEvaluation(const config::AugmentConfig& augment, base::ImageSize original);

/// What the resizing makes of an image.
structures::ImageRow imageRow(const TransformPlan& plan);

/// Colour, flips, normalisation and resize in one pass over the pixels -> out [3,H,W] of the padded
/// size, zeros right and below.
void transformImage(RgbImage image, const TransformPlan& plan, const base::ImageSize& padded,
                    float* out);

/// Brightness, contrast and saturation in that order, as torchvision.transforms.v2.functional does
/// on uint8.
void jitterColour(RgbImage& image, double brightness, double contrast, double saturation);

/// Usable annotations (no crowd, sides over 1 px, something left inside the image) as boxes,
/// classes and masks at plan.resized (by nearest, as torchvision). Boxes are clipped to the image;
/// each has a width and a height in float32. Throws Error for a category that `classes` does not
/// know.
structures::GtInstances transformAnnotations(const std::vector<coco::Annotation>& annotations,
                                             const ClassTable& classes, const coco::Image& image,
                                             const TransformPlan& plan);

}  // namespace lockstep::data
