#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/data/batch.h"
#include "tests/support/training.h"

namespace lockstep::gpu {

/// Images with objects, made from a seed: the same on every machine. objectCounts: of each image;
/// padded: multiples of 32 px.
data::Batch makeScene(const std::vector<int>& objectCounts, const base::ImageSize& padded,
                      std::uint64_t seed);

/// [count,4] xyxy inside the size, sides of 4 px and more.
at::Tensor randomBoxes(std::int64_t count, const base::ImageSize& size);

/// A Mask R-CNN small enough for one step per second on a CPU, with RegionRows::Fixed.
tests::TrainingSetup smallTraining(at::ScalarType type = at::kFloat);

}  // namespace lockstep::gpu
