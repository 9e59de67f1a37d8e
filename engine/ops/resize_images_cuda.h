#pragma once

#include "engine/ops/resize_images.h"

namespace lockstep::ops {

/// resizeImages of CUDA tensors, channels_last; only in programs built with LOCKSTEP_CUDA.
/// Arguments as resizeImages', already checked.
at::Tensor resizeImagesCuda(const PackedImages& images, const ImageSize& padded,
                            at::ScalarType type);

}  // namespace lockstep::ops
