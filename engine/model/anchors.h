#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/config/anchor_cells.h"
#include "engine/config/experiment.h"
#include "engine/structures/tensor_block.h"

namespace lockstep::model {

/// Anchors of the RPN as torchvision's AnchorGenerator: one size per FPN level, rounded to integer
/// px, centred on the upper left corners of the feature map pixels. Stateless: any thread.
class AnchorGenerator {
 public:
  /// Throws UserError unless there is one size for each of the five levels.
  explicit AnchorGenerator(const config::AnchorConfig& config);

  /// padded: padded size of the batch; levels: height and width of each feature map. -> [A,4]
  /// float32 xyxy px on the CPU, ordered by level, row, column and aspect ratio.
  at::Tensor generate(const base::ImageSize& padded, const std::vector<base::ImageSize>& levels,
                      structures::HostMemory memory = structures::HostMemory::Pageable) const;
  std::int64_t anchorsPerLocation() const {
    return static_cast<std::int64_t>(cells_.front().size());
  }

 private:
  std::vector<std::vector<config::AnchorCell>> cells_;  // by level, then aspect ratio
};

/// Anchors on a device, cached for the most recent sizes, because most batches have one of a few
/// sizes. Any thread.
class AnchorCache {
 public:
  explicit AnchorCache(const config::AnchorConfig& config) : generator_(config) {}

  /// As AnchorGenerator::generate. Does not synchronise.
  at::Tensor anchors(const base::ImageSize& padded, const std::vector<base::ImageSize>& levels,
                     const at::Device& device);
  std::int64_t anchorsPerLocation() const { return generator_.anchorsPerLocation(); }

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
  std::deque<Entry> entries_;  // under mutex_, most recently used first
};

}  // namespace lockstep::model
