#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace lockstep::worker {

struct PixelRect {
  int x = 0, y = 0, width = 0, height = 0;
};

/// An object and the variants of its label, from the most detailed to the shortest (only their
/// width and height are used).
struct LabelRequest {
  PixelRect object;
  std::vector<PixelRect> variants;
};
struct LabelPlacement {
  std::size_t variant = 0;
  PixelRect rect;
};

/// Positions of labels in an image of that size: above their object, else below, else inside. No
/// label covers another label or more than a quarter of an object; nullopt when no variant fits.
/// Earlier requests take precedence.
std::vector<std::optional<LabelPlacement>> placeLabels(int imageWidth, int imageHeight,
                                                       const std::vector<LabelRequest>& requests);

}  // namespace lockstep::worker
