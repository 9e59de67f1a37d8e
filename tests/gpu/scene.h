#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/ops/instances.h"

namespace lockstep::gpu {

/// Images with objects, made from a seed: the same on every machine.
struct Scene {
  at::Tensor images;  ///< [N,3,H,W]
  std::vector<ops::ImageSize> sizes;
  ops::GtBatch gts;
  std::vector<std::uint64_t> keys;

  Scene to(const at::Device& device) const;
};

/// objectCounts: of each image; padded: multiples of 32 px.
Scene makeScene(const std::vector<int>& objectCounts, const ops::ImageSize& padded,
                std::uint64_t seed);

/// [count,4] xyxy inside the size, sides of 4 px and more.
at::Tensor randomBoxes(std::int64_t count, const ops::ImageSize& size);

/// A Mask R-CNN that a CPU steps in a second.
config::ModelConfig smallModel();

}  // namespace lockstep::gpu
