#pragma once

#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/data/class_table.h"
#include "engine/data/rgb_image.h"
#include "engine/data/transform_plan.h"
#include "engine/structures/instances.h"

/// Transforms images and annotations, once they are turned and cut, to model input, with the
/// semantics of torchvision's GeneralizedRCNNTransform: scaled to [0,1], normalised, resized
/// bilinearly without antialias in float32; masks resized with nearest; boxes scaled by the exact
/// ratios.
namespace lockstep::data {

/// Flips, normalisation and resize in one pass over the pixels -> out [3,H,W] of the padded size,
/// zero-padded at the right and bottom.
void resizeImage(const RgbImage& image, const TransformPlan& plan, const base::ImageSize& padded,
                 float* out);

/// Usable annotations (not a crowd, width and height over 1 px, not outside the image) as boxes,
/// classes and masks at the size plan.resized (nearest, as in torchvision). Boxes are clipped to
/// the image and are not empty in float32. Annotations with a box alone, and all without
/// `withMasks`, have kNoMask as window. Throws Error for a category that `classes` does not have.
structures::GtInstances transformAnnotations(const std::vector<coco::Annotation>& annotations,
                                             const ClassTable& classes, const TransformPlan& plan,
                                             bool withMasks = true);

}  // namespace lockstep::data
