#pragma once

#include <memory>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/data/rgb_image.h"
#include "engine/data/transform_plan.h"

namespace lockstep::data {

/// A decoded image with the annotations that training uses, in its px.
struct AnnotatedImage {
  RgbImage pixels;
  std::vector<coco::Annotation> annotations;
};

/// As coco::annotationMask() needs it.
coco::Image imageOfSize(const base::ImageSize& size);

/// The image turned and cut as planned, with its usable annotations. Masks become RLE. An object
/// that the window cuts gets the box and the area of what is left of its mask (of its box, if it
/// has that alone), and is left out if nothing is. `withFlips`: also flipped as planned.
AnnotatedImage turnAndCrop(const RgbImage& image, const std::vector<coco::Annotation>& annotations,
                           const TransformPlan& plan, bool withFlips = false);

}  // namespace lockstep::data
