#include "engine/coco/label_maps/panoptic_quality.h"

#include <unordered_map>

namespace lockstep::coco {
namespace {

constexpr double kLeastIou = .5;

struct Tally {
  double iou = 0;  ///< sum over the matches
  std::uint64_t truePositives = 0, falsePositives = 0, falseNegatives = 0;
};
using TalliesByCategory = std::unordered_map<CategoryId, Tally>;

void tallyImage(const SegmentOverlaps& image, TalliesByCategory& tallies) {
  std::vector<char> objectIsMatched(image.objects.size(), 0),
      detectionIsMatched(image.detections.size(), 0);
  for (const SegmentOverlap& pair : image.pairs) {
    const Segment& object = image.objects[pair.object];
    if (object.isCrowd || object.category != image.detections[pair.detection].category) continue;
    const double iou = iouOf(image, pair);
    if (iou <= kLeastIou) continue;
    objectIsMatched[pair.object] = detectionIsMatched[pair.detection] = 1;
    Tally& tally = tallies[object.category];
    ++tally.truePositives;
    tally.iou += iou;
  }
  for (std::size_t g = 0; g < image.objects.size(); ++g) {
    if (!objectIsMatched[g] && !image.objects[g].isCrowd)
      ++tallies[image.objects[g].category].falseNegatives;
  }
  const std::vector<char> isIgnored = liesInCrowd(image);
  for (std::size_t d = 0; d < image.detections.size(); ++d) {
    if (!detectionIsMatched[d] && !isIgnored[d])
      ++tallies[image.detections[d].category].falsePositives;
  }
}

ClassPanopticQuality qualityOf(CategoryId category, const Tally& tally) {
  ClassPanopticQuality quality;
  quality.category = category;
  quality.truePositives = tally.truePositives;
  quality.falsePositives = tally.falsePositives;
  quality.falseNegatives = tally.falseNegatives;
  const auto matched = static_cast<double>(tally.truePositives);
  const double all = matched + .5 * static_cast<double>(tally.falsePositives) +
                     .5 * static_cast<double>(tally.falseNegatives);
  if (all == 0) return quality;
  quality.pq = tally.iou / all;
  quality.sq = matched > 0 ? tally.iou / matched : 0;
  quality.rq = matched / all;
  return quality;
}

}  // namespace

PanopticQualities panopticQuality(std::span<const SegmentOverlaps> images,
                                  const std::vector<Category>& categories) {
  TalliesByCategory tallies;
  for (const SegmentOverlaps& image : images) tallyImage(image, tallies);
  PanopticQualities qualities;
  PanopticQuality sum{0, 0, 0};
  int count = 0;
  for (const Category& category : categories) {
    const ClassPanopticQuality& own =
        qualities.classes.emplace_back(qualityOf(category.id, tallies[category.id]));
    if (own.pq < 0) continue;
    sum.pq += own.pq;
    sum.sq += own.sq;
    sum.rq += own.rq;
    ++count;
  }
  if (count > 0) qualities.mean = {sum.pq / count, sum.sq / count, sum.rq / count};
  return qualities;
}

}  // namespace lockstep::coco
