#pragma once

#include <vector>

#include "engine/config/experiment.h"

namespace lockstep::config {

/// An anchor relative to its location, px.
struct AnchorCell {
  float x1, y1, x2, y2;
};

/// The anchors of a location, for each FPN level, in the order of the aspect ratios; as
/// torchvision's AnchorGenerator. Throws UserError unless there is a size for each level and an
/// aspect ratio.
std::vector<std::vector<AnchorCell>> anchorCells(const AnchorConfig& config);

}  // namespace lockstep::config
