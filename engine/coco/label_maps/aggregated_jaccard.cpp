#include "engine/coco/label_maps/aggregated_jaccard.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::coco {
namespace {

/// nullopt: there are no segments that count.
std::optional<double> indexOf(const SegmentOverlaps& image) {
  std::vector<const SegmentOverlap*> best(image.objects.size(), nullptr);
  for (const SegmentOverlap& pair : image.pairs) {
    const Segment& object = image.objects[pair.object];
    if (object.isCrowd || object.category != image.detections[pair.detection].category) continue;
    const SegmentOverlap*& own = best[pair.object];
    if (own == nullptr || iouOf(image, pair) > iouOf(image, *own)) own = &pair;
  }
  std::uint64_t shared = 0, all = 0;
  std::vector<char> isUsed(image.detections.size(), 0);
  for (std::size_t g = 0; g < image.objects.size(); ++g) {
    if (image.objects[g].isCrowd) continue;
    all += image.objects[g].areaPx;
    if (best[g] == nullptr) continue;
    shared += best[g]->sharedPx;
    all += image.detections[best[g]->detection].areaPx - best[g]->sharedPx;
    isUsed[best[g]->detection] = 1;
  }
  const std::vector<char> isIgnored = liesInCrowd(image);
  for (std::size_t d = 0; d < image.detections.size(); ++d)
    if (!isUsed[d] && !isIgnored[d]) all += image.detections[d].areaPx;
  if (all == 0) return std::nullopt;
  return static_cast<double>(shared) / static_cast<double>(all);
}

}  // namespace

AggregatedJaccard aggregatedJaccard(std::span<const SegmentOverlaps> images) {
  AggregatedJaccard result;
  double sum = 0;
  for (const SegmentOverlaps& image : images) {
    const auto index = indexOf(image);
    if (!index) continue;
    sum += *index;
    ++result.images;
  }
  if (result.images > 0) result.mean = sum / static_cast<double>(result.images);
  return result;
}

}  // namespace lockstep::coco
