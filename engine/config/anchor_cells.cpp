#include "engine/config/anchor_cells.h"

#include <cmath>
#include <string>

#include "engine/base/error.h"
#include "engine/config/pyramid.h"

namespace lockstep::config {

std::vector<std::vector<AnchorCell>> anchorCells(const AnchorConfig& config) {
  if (config.sizes.size() != kPyramidLevels || config.aspectRatios.empty()) {
    throw UserError("model.anchors: got " + std::to_string(config.sizes.size()) +
                    " sizes; give five, one per FPN level, and at least one aspect ratio");
  }
  std::vector<std::vector<AnchorCell>> levels;
  for (const double size : config.sizes) {
    std::vector<AnchorCell>& level = levels.emplace_back();
    for (const double ratio : config.aspectRatios) {
      const float tall = std::sqrt(static_cast<float>(ratio));
      const float width = 1.0f / tall * static_cast<float>(size);
      const float height = tall * static_cast<float>(size);
      // Rounds half to even, as torch.round.
      level.push_back({std::nearbyint(-width / 2), std::nearbyint(-height / 2),
                       std::nearbyint(width / 2), std::nearbyint(height / 2)});
    }
  }
  return levels;
}

}  // namespace lockstep::config
