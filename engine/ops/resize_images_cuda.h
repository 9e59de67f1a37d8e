#pragma once

#include "engine/ops/resize_images.h"
#include "engine/structures/image_size.h"
#include "engine/structures/packed_images.h"

namespace lockstep::ops {

/// resizeImages of CUDA tensors, channels_last; only in programs built with LOCKSTEP_CUDA.
/// Arguments as resizeImages', already checked.
at::Tensor resizeImagesCuda(const structures::PackedImages& images,
                            const structures::ImageSize& padded, at::ScalarType type);

}  // namespace lockstep::ops
