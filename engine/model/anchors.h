#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/config/experiment.h"
#include "engine/ops/instances.h"

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
  at::Tensor generate(const ops::ImageSize& padded,
                      const std::vector<ops::ImageSize>& levels) const;
  std::int64_t countPerPlace() const { return static_cast<std::int64_t>(cells_.front().size()); }

 private:
  struct Cell {
    float x1, y1, x2, y2;
  };
  std::vector<std::vector<Cell>> cells_;  // by level, then aspect ratio
};

}  // namespace lockstep::model
