#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"
#include "engine/data/class_table.h"
#include "engine/data/image_file.h"
#include "engine/structures/image_row.h"
#include "engine/structures/instances.h"

/// Transforms decoded images and annotations to model input, with the semantics of torchvision's
/// GeneralizedRCNNTransform: scaled to [0,1], normalised, resized bilinearly without antialias in
/// float32; masks resized with nearest; boxes scaled by the exact ratios.
namespace lockstep::data {

/// The transform parameters of one image, chosen before it is read.
struct TransformPlan {
  base::ImageSize original, resized;  ///< px
  bool flipHorizontal = false;
  bool flipVertical = false;
  double brightness = 1, contrast = 1, saturation = 1;  ///< factors; 1: unchanged

  bool changesColour() const { return brightness != 1 || contrast != 1 || saturation != 1; }
};

/// The augmentation of an image in an epoch: a pure function of the arguments. Jitter factors are
/// uniform in [max(0, 1 - x), 1 + x]; the shortest side is drawn from min_size.
TransformPlan planTraining(const config::AugmentConfig& augment, base::ImageSize original,
                           ImageId id, std::int64_t epoch, std::uint64_t seed);
/// The transform of evaluation and prediction: resizes to the last of min_size, no augmentation.
TransformPlan planEvaluation(const config::AugmentConfig& augment, base::ImageSize original);

/// The resize parameters of an image for ops::resizeImages.
structures::ImageRow imageRow(const TransformPlan& plan);

/// Colour jitter, flips, normalisation and resize in one pass over the pixels -> out [3,H,W] of the
/// padded size, zero-padded at the right and bottom.
void transformImage(RgbImage image, const TransformPlan& plan, const base::ImageSize& padded,
                    float* out);

/// Brightness, contrast and saturation in that order, as torchvision.transforms.v2.functional does
/// on uint8.
void jitterColour(RgbImage& image, double brightness, double contrast, double saturation);

/// Usable annotations (not a crowd, width and height over 1 px, not outside the image) as boxes,
/// classes and masks at the size plan.resized (nearest, as in torchvision). Boxes are clipped to
/// the image and are not empty in float32. Throws Error for a category that `classes` does not
/// have.
structures::GtInstances transformAnnotations(const std::vector<coco::Annotation>& annotations,
                                             const ClassTable& classes, const coco::Image& image,
                                             const TransformPlan& plan);

}  // namespace lockstep::data
