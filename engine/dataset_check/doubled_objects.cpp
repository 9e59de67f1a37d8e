#include "engine/dataset_check/doubled_objects.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace lockstep::dataset_check {
namespace {

/// Cells of an image, in each direction, whose pixels are counted.
constexpr std::uint64_t kCells = 16;
using CellCounts = std::array<std::int32_t, kCells * kCells>;

struct Extent {
  std::size_t index;
  double x0, y0, x1, y1, areaPx;
};

/// How many pixels of a mask are in which cell.
CellCounts countCells(const coco::Rle& mask) {
  CellCounts counts{};
  const auto height = static_cast<std::uint64_t>(mask.height),
             width = static_cast<std::uint64_t>(mask.width);
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < mask.counts.size(); ++i) {
    const std::uint64_t end = at + mask.counts[i];
    while (i % 2 == 1 && at < end) {
      const std::uint64_t column = at / height, row = at % height, cellRow = row * kCells / height;
      const std::uint64_t cellEnd = ((cellRow + 1) * height + kCells - 1) / kCells;
      const std::uint64_t pixels = std::min(end - at, cellEnd - row);
      counts[column * kCells / width * kCells + cellRow] += static_cast<std::int32_t>(pixels);
      at += pixels;
    }
    at = end;
  }
  return counts;
}

/// With this overlap at most, the IoU is not higher.
double highestIou(double overlapPx, const Extent& a, const Extent& b) {
  return overlapPx / std::max(a.areaPx + b.areaPx - overlapPx, 1e-9);
}

/// Of bounding boxes: what is in them does not share more.
double overlapPx(const Extent& a, const Extent& b) {
  const double width = std::min(a.x1, b.x1) - std::max(a.x0, b.x0);
  const double height = std::min(a.y1, b.y1) - std::max(a.y0, b.y0);
  if (width <= 0 || height <= 0) return 0;
  return std::min({width * height, a.areaPx, b.areaPx});
}

/// Of masks: they do not share more.
double overlapPx(const CellCounts& a, const CellCounts& b) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::min(a[i], b[i]);
  return static_cast<double>(sum);
}

/// From the largest to the smallest, then in their order.
std::vector<Extent> extentsOf(std::span<const coco::Annotation> annotations,
                              std::span<const coco::Rle> masks) {
  std::vector<Extent> extents;
  for (std::size_t i = 0; i < annotations.size(); ++i) {
    const auto maskArea = static_cast<double>(coco::areaPx(masks[i]));
    if (annotations[i].isCrowd || maskArea == 0) continue;
    const bool hasMask = annotations[i].hasMask;
    const auto [x, y, width, height] =
        hasMask ? coco::boundingBoxXywh(masks[i]) : annotations[i].boxXywh;
    Extent extent{.index = i,
                  .x0 = std::max(x, 0.),
                  .y0 = std::max(y, 0.),
                  .x1 = std::min(x + width, double(masks[i].width)),
                  .y1 = std::min(y + height, double(masks[i].height)),
                  .areaPx = maskArea};
    if (!hasMask) extent.areaPx = (extent.x1 - extent.x0) * (extent.y1 - extent.y0);
    extents.push_back(extent);
  }
  std::ranges::stable_sort(extents, std::greater(), &Extent::areaPx);
  return extents;
}

/// Compares the objects of one class that have masks, or those that have none, from the largest to
/// the smallest.
class Comparison {
 public:
  explicit Comparison(std::span<const coco::Rle> masks) : masks_(masks) {}

  /// The object that one is the same as; nullopt: it is kept, and later ones are compared with it.
  std::optional<DoubledObject> add(const Extent& object, bool hasMask) {
    const double least = hasMask ? kDoubledIou : kDoubledBoxIou;
    const CellCounts cells = hasMask ? countCells(masks_[object.index]) : CellCounts{};
    const auto first = std::ranges::partition_point(
        kept_, [&](const Extent& kept) { return object.areaPx < least * kept.areaPx; });
    for (auto kept = first; kept != kept_.end(); ++kept) {
      double iou = highestIou(overlapPx(*kept, object), *kept, object);
      if (iou < least) continue;
      if (hasMask) {
        const CellCounts& others = cells_[static_cast<std::size_t>(kept - kept_.begin())];
        if (highestIou(overlapPx(others, cells), *kept, object) <= least) continue;
        iou = coco::maskIou(masks_[kept->index], masks_[object.index]);
        if (iou <= least) continue;
      }
      return DoubledObject{kept->index, object.index, iou};
    }
    kept_.push_back(object);
    cells_.push_back(cells);
    return std::nullopt;
  }

 private:
  std::span<const coco::Rle> masks_;
  std::vector<Extent> kept_;
  std::vector<CellCounts> cells_;  ///< of kept_
};

}  // namespace

std::vector<DoubledObject> findDoubledObjects(std::span<const coco::Annotation> annotations,
                                              std::span<const coco::Rle> masks) {
  std::map<std::pair<std::int64_t, bool>, Comparison> comparisons;
  std::vector<DoubledObject> found;
  for (const Extent& object : extentsOf(annotations, masks)) {
    const coco::Annotation& annotation = annotations[object.index];
    const auto of = std::pair(annotation.categoryId.value, annotation.hasMask);
    Comparison& comparison = comparisons.try_emplace(of, masks).first->second;
    if (const auto doubled = comparison.add(object, annotation.hasMask)) found.push_back(*doubled);
  }
  std::ranges::sort(found, {}, &DoubledObject::doubled);
  return found;
}

}  // namespace lockstep::dataset_check
