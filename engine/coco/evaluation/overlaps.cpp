#include "engine/coco/evaluation/overlaps.h"

#include <algorithm>
#include <unordered_map>

#include "engine/coco/evaluation/image_matches.h"
#include "engine/coco/evaluation/regions.h"

namespace lockstep::coco {
namespace {

/// By falling score, at most `most` per class.
std::vector<OverlapDetection> rankDetections(std::span<const Detection* const> detections,
                                             std::size_t most) {
  std::vector<OverlapDetection> ranked;
  ranked.reserve(detections.size());
  for (std::size_t i = 0; i < detections.size(); ++i) {
    const Detection& detection = *detections[i];
    ranked.push_back({detection.score, sizeAreaPx(detection), detection.categoryId,
                      static_cast<std::uint32_t>(i)});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.score > b.score; });
  if (ranked.size() <= most) return ranked;
  std::unordered_map<CategoryId, std::size_t> countOf;
  std::erase_if(ranked, [&](const OverlapDetection& detection) {
    return ++countOf[detection.category] > most;
  });
  return ranked;
}

}  // namespace

ImageOverlaps findOverlaps(const Image& image, const std::vector<Annotation>& annotations,
                           std::span<const Detection* const> detections, IouType type,
                           const Params& params) {
  ImageOverlaps overlaps;
  overlaps.detections = rankDetections(detections, params.mostDetections());
  overlaps.annotations.reserve(annotations.size());
  std::vector<Region> regions;
  regions.reserve(annotations.size());
  for (const Annotation& annotation : annotations) {
    overlaps.annotations.push_back({annotation.id, annotation.area, annotation.categoryId,
                                    isIgnoredRegion(annotation, type),
                                    params.losesMatchOf(annotation.id)});
    if (!detections.empty()) regions.emplace_back(annotation, image, type);
  }
  for (std::uint32_t d = 0; d < overlaps.detections.size() && !annotations.empty(); ++d) {
    const Region region(*detections[overlaps.detections[d].index], image, type);
    for (std::uint32_t g = 0; g < regions.size(); ++g) {
      const double iou = region.iouWith(regions[g], overlaps.annotations[g].isCrowd);
      if (iou > 0) overlaps.pairs.push_back({d, g, iou});
    }
  }
  overlaps.pairs.shrink_to_fit();
  return overlaps;
}

}  // namespace lockstep::coco
