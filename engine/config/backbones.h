#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/config/pyramid.h"

namespace lockstep::config {

/// torchvision's residual blocks. Basic: two 3 x 3 convolutions; Bottleneck: 1 x 1, 3 x 3 and 1 x
/// 1, the last of which gives four times the width.
enum class BlockKind { Basic, Bottleneck };

/// What a value of model.backbone stands for. Those that engine/model builds are the rows of one
/// table, which the experiment's allowed values and estimates of memory go by too.
struct Backbone {
  const char* name;
  BlockKind block;
  std::array<int, kBackboneStages> blocks;  ///< of each stage

  /// Channels that the 3 x 3 convolutions of a stage give; the stem gives those of stage 0.
  static constexpr int width(std::size_t stage) { return 64 << stage; }
  /// Channels that a stage gives.
  constexpr int channels(std::size_t stage) const {
    return block == BlockKind::Bottleneck ? 4 * width(stage) : width(stage);
  }
  /// Weights and biases of convolutions and norms.
  std::int64_t parameterCount() const;
};

std::span<const Backbone> backbones();
/// Throws Error (mendable) for a name that there is not.
const Backbone& findBackbone(std::string_view name);

}  // namespace lockstep::config
