#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "engine/base/image_size.h"

/// Boxes in px, corners as (x1, y1, x2, y2), width x2 - x1: torchvision's conventions, no `+ 1`.
/// Letters: N images, G and R boxes.
namespace lockstep::structures {

/// A row of a tensor of boxes.
struct Box {
  float x1, y1, x2, y2;
};

/// Pairwise intersection over union. first [...,G,4], second [...,R,4] -> [...,G,R]; leading
/// dimensions are broadcast. Two empty boxes give NaN, as in torchvision.
at::Tensor boxIou(const at::Tensor& first, const at::Tensor& second);

/// The limits for clipping boxes of N images: [N,1,4] float32 (width, height, width, height) px.
/// Does not synchronise with the device.
at::Tensor boxLimits(const std::vector<base::ImageSize>& sizes, const at::Device& device);

}  // namespace lockstep::structures
