#include "tests/app_speed/made_masks.h"

#include <algorithm>
#include <cmath>

namespace lockstep::speed {

coco::Rle ellipse(const QRectF& box, QSize image) {
  const double x = box.x(), y = box.y(), width = box.width(), height = box.height();
  coco::Rle mask;
  mask.width = image.width();
  mask.height = image.height();
  std::uint32_t end = 0;  // of the last run, in column-major order
  for (int column = static_cast<int>(x); column < static_cast<int>(x + width); ++column) {
    const double across = (column + 0.5 - x - width / 2) / (width / 2);
    const int half = static_cast<int>(height / 2 * std::sqrt(std::max(0.0, 1 - across * across)));
    const auto from = static_cast<std::uint32_t>(column * image.height() + y + height / 2 - half);
    if (half == 0) continue;
    mask.counts.push_back(from - end);
    mask.counts.push_back(static_cast<std::uint32_t>(2 * half));
    end = from + static_cast<std::uint32_t>(2 * half);
  }
  mask.counts.push_back(static_cast<std::uint32_t>(image.width() * image.height()) - end);
  return mask;
}

}  // namespace lockstep::speed
