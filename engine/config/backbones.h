#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/config/pyramid.h"

namespace lockstep::config {

/// torchvision's residual blocks. Basic: two 3 x 3 convolutions. Bottleneck: 1 x 1, 3 x 3 and
/// 1 x 1 convolutions, the last with four times the width.
enum class BlockKind { Basic, Bottleneck };

/// A value of model.backbone. One table of them serves engine/model, the allowed values of the key
/// and the memory estimate.
struct Backbone {
  const char* name;
  BlockKind block;
  std::array<int, kBackboneStages> blocks;  ///< per stage

  /// Output channels of a stage's 3 x 3 convolutions; the stem has those of stage 0.
  static constexpr int width(std::size_t stage) { return 64 << stage; }
  /// Output channels of a stage.
  constexpr int channels(std::size_t stage) const {
    return block == BlockKind::Bottleneck ? 4 * width(stage) : width(stage);
  }
  /// Parameters of all convolutions and norms.
  std::int64_t parameterCount() const;
};

std::span<const Backbone> backbones();
/// Throws a user error for an unknown name.
const Backbone& findBackbone(std::string_view name);

}  // namespace lockstep::config
