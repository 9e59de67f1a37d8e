#pragma once

#include <cstdint>

#include "engine/base/image_size.h"
#include "engine/data/annotated_image.h"

namespace lockstep::data {

/// How objects of one image are pasted into another.
struct PastePlan {
  base::ImageSize donorSize;  ///< of the whole donor in px of the image
  int left = 0, top = 0;      ///< of the donor in the image, px; may be outside
  std::uint64_t key = 0;      ///< of the choice of objects: each with probability 1/2, at least one
};

/// Resizes the donor to its scale in the model's input, and places it at random: within the image,
/// or so that it covers the image along a side on which it is larger. Both plans are without
/// flips of the image itself.
PastePlan planPaste(const TransformPlan& image, const TransformPlan& donor, std::uint64_t key);

/// Pastes objects with masks, pixels and annotations, without blending. Of objects that they cover,
/// masks, boxes and areas are cut; those of which less than a tenth is left are dropped. Both
/// images have RLE masks, as turnAndCrop() makes them. Source: Ghiasi et al., "Simple Copy-Paste is
/// a Strong Data Augmentation Method for Instance Segmentation", CVPR 2021.
void pasteObjects(AnnotatedImage& image, const AnnotatedImage& donor, const PastePlan& plan);

}  // namespace lockstep::data
