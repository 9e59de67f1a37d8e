#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace lockstep::worker {

struct PixelRect {
  int x = 0, y = 0, width = 0, height = 0;
};

/// An object, and the forms of its label from the one that says most to the shortest (width and
/// height count).
struct LabelWish {
  PixelRect object;
  std::vector<PixelRect> forms;
};
struct LabelPlace {
  std::size_t form = 0;
  PixelRect rect;
};

/// Where labels go on a picture of that size: above their object, else below, else inside. None
/// covers another label or more than a quarter of an object; where no form of it finds such a place
/// there is none. The first wishes come first.
std::vector<std::optional<LabelPlace>> placeLabels(int pictureWidth, int pictureHeight,
                                                   const std::vector<LabelWish>& wishes);

}  // namespace lockstep::worker
