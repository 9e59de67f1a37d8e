#include "engine/coco/check/doubled_objects.h"

#include <algorithm>

namespace lockstep::coco {
namespace {

struct Extent {
  std::size_t index;
  double x0, y0, x1, y1, areaPx;
};

/// Of masks with these areas and bounding boxes the IoU is not higher.
double highestIou(const Extent& a, const Extent& b) {
  const double width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const double height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (width <= 0 || height <= 0) return 0;
  return std::min(width * height, std::min(a.areaPx, b.areaPx)) / std::max(a.areaPx, b.areaPx);
}

/// Ordered from left to right.
std::vector<Extent> extentsOf(std::span<const Annotation> annotations, std::span<const Rle> masks) {
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const auto area = static_cast<double>(areaPx(masks[i]));
    if (annotations[i].isCrowd || area == 0) continue;
    const auto [x, y, width, height] = boundingBoxXywh(masks[i]);
    extents.push_back({i, x, y, x + width, y + height, area});
  }
  std::ranges::sort(extents, {}, &Extent::x0);
  return extents;
}

}  // namespace

std::vector<DoubledObject> findDoubledObjects(std::span<const Annotation> annotations,
                                              std::span<const Rle> masks) {
  const std::vector<Extent> extents = extentsOf(annotations, masks);
  std::vector<DoubledObject> found;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    for (std::size_t j = i + 1; j < extents.size() && extents[j].x0 < extents[i].x1; ++j) {
      const Extent &a = extents[i], &b = extents[j];
      if (annotations[a.index].categoryId != annotations[b.index].categoryId ||
          highestIou(a, b) <= kDoubledIou)
        continue;
      const double iou = maskIou(masks[a.index], masks[b.index]);
      if (iou <= kDoubledIou) continue;
      const bool isFirstKept = a.areaPx != b.areaPx ? a.areaPx > b.areaPx : a.index < b.index;
      found.push_back(isFirstKept ? DoubledObject{a.index, b.index, iou}
                                  : DoubledObject{b.index, a.index, iou});
    }
  }
  std::ranges::sort(found, [](const DoubledObject& a, const DoubledObject& b) {
    return std::pair(a.doubled, a.kept) < std::pair(b.doubled, b.kept);
  });
  return found;
}

}  // namespace lockstep::coco
