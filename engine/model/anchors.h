#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/config/experiment.h"
#include "engine/structures/tensor_block.h"

namespace lockstep::model {

/// Reference boxes of the RPN as torchvision's AnchorGenerator: one size per pyramid level, rounded
/// to whole px, centred on the feature pixels' upper left corners. Without state: any thread.
class AnchorGenerator {
 public:
  /// Throws Error unless there is a size for each of the five levels.
  explicit AnchorGenerator(const config::AnchorConfig& config);

  /// padded: size of the batch; levels: height and width of each feature level.
  /// -> [A,4] float32 xyxy px on the CPU, level after level, row after row, the aspect ratios of a
  /// place side by side.
  at::Tensor generate(const base::ImageSize& padded, const std::vector<base::ImageSize>& levels,
                      structures::HostMemory memory = structures::HostMemory::Plain) const;
  std::int64_t countPerPlace() const { return static_cast<std::int64_t>(cells_.front().size()); }

 private:
  struct Cell {
    float x1, y1, x2, y2;
  };
  std::vector<std::vector<Cell>> cells_;  // by level, then aspect ratio
};

/// Anchors on a device, kept for the sizes asked for last: most batches have one of a few. Any
/// thread.
class AnchorCache {
 public:
  explicit AnchorCache(const config::AnchorConfig& config) : generator_(config) {}

  /// As AnchorGenerator::generate. Waits for nothing.
  at::Tensor anchors(const base::ImageSize& padded, const std::vector<base::ImageSize>& levels,
                     const at::Device& device);
  std::int64_t countPerPlace() const { return generator_.countPerPlace(); }

 private:
  struct Entry {
    base::ImageSize padded;
    std::vector<base::ImageSize> levels;
    at::Tensor anchors;
  };
  at::Tensor find(const base::ImageSize& padded, const std::vector<base::ImageSize>& levels,
                  const at::Device& device);

  AnchorGenerator generator_;
  std::mutex mutex_;
  std::deque<Entry> entries_;  // under mutex_, the last used first
};

}  // namespace lockstep::model
