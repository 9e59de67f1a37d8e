#include "engine/coco/label_maps/f1.h"

#include <unordered_map>
#include <utility>

namespace lockstep::coco {
namespace {

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? -1 : static_cast<double>(part) / static_cast<double>(whole);
}

/// The largest set of pairs in which no segment is twice: Kuhn's algorithm, with a queue.
class LargestMatching {
 public:
  LargestMatching(std::size_t objects, std::size_t detections)
      : partners_(objects),
        detectionOf_(objects, kNone),
        objectOf_(detections, kNone),
        reachedFrom_(detections, kNone),
        reachedBy_(detections, kNone) {}

  void add(const SegmentOverlap& pair) { partners_[pair.object].push_back(pair.detection); }

  void find() {
    for (std::uint32_t g = 0; g < partners_.size(); ++g) assign(g);
  }
  bool isMatched(std::size_t detection) const { return objectOf_[detection] != kNone; }
  std::uint32_t objectOf(std::size_t detection) const { return objectOf_[detection]; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// Gives an object a detection, and another one to whom it takes it from.
  void assign(std::uint32_t object) {
    std::vector<std::uint32_t> queue{object};
    for (std::size_t next = 0; next < queue.size(); ++next) {
      for (const std::uint32_t d : partners_[queue[next]]) {
        if (reachedBy_[d] == object) continue;
        reachedBy_[d] = object;
        reachedFrom_[d] = queue[next];
        if (objectOf_[d] == kNone) return reassign(d);
        queue.push_back(objectOf_[d]);
      }
    }
  }
  /// Along the way on which a free detection was reached.
  void reassign(std::uint32_t detection) {
    while (detection != kNone) {
      const std::uint32_t object = reachedFrom_[detection];
      objectOf_[detection] = object;
      detection = std::exchange(detectionOf_[object], detection);
    }
  }

  std::vector<std::vector<std::uint32_t>> partners_;
  std::vector<std::uint32_t> detectionOf_, objectOf_;
  /// Of each detection: the object that it was reached from, and that a detection was searched for.
  std::vector<std::uint32_t> reachedFrom_, reachedBy_;
};

using CountsByCategory = std::unordered_map<CategoryId, SegmentCounts>;

void countSegments(const SegmentOverlaps& image, double iouThreshold, CountsByCategory& tallies) {
  LargestMatching matching(image.objects.size(), image.detections.size());
  for (const SegmentOverlap& pair : image.pairs) {
    const Segment& object = image.objects[pair.object];
    if (!object.isCrowd && object.category == image.detections[pair.detection].category &&
        iouOf(image, pair) >= iouThreshold)
      matching.add(pair);
  }
  matching.find();
  const std::vector<char> isIgnored = liesInCrowd(image);
  std::vector<char> isFound(image.objects.size(), 0);
  for (std::size_t d = 0; d < image.detections.size(); ++d) {
    SegmentCounts& counts = tallies[image.detections[d].category];
    if (matching.isMatched(d)) {
      ++counts.truePositives;
      isFound[matching.objectOf(d)] = 1;
    } else if (!isIgnored[d]) {
      ++counts.falsePositives;
    }
  }
  for (std::size_t g = 0; g < image.objects.size(); ++g) {
    if (!isFound[g] && !image.objects[g].isCrowd)
      ++tallies[image.objects[g].category].falseNegatives;
  }
}

}  // namespace

double SegmentCounts::precision() const {
  return ratio(truePositives, truePositives + falsePositives);
}
double SegmentCounts::recall() const {
  return ratio(truePositives, truePositives + falseNegatives);
}
double SegmentCounts::f1() const {
  return ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives);
}
double SegmentCounts::accuracy() const {
  return ratio(truePositives, truePositives + falsePositives + falseNegatives);
}

SegmentCountsByThreshold segmentCounts(std::span<const SegmentOverlaps> images,
                                       const std::vector<Category>& categories,
                                       std::span<const double> iouThresholds) {
  SegmentCountsByThreshold result;
  for (const Category& category : categories) result.classes.push_back({category.id, {}});
  for (const double threshold : iouThresholds) {
    CountsByCategory tallies;
    for (const SegmentOverlaps& image : images) countSegments(image, threshold, tallies);
    SegmentCounts& all = result.all.emplace_back();
    all.iouThreshold = threshold;
    for (ClassSegmentCounts& ofClass : result.classes) {
      SegmentCounts& own = ofClass.thresholds.emplace_back(tallies[ofClass.category]);
      own.iouThreshold = threshold;
      all.truePositives += own.truePositives;
      all.falsePositives += own.falsePositives;
      all.falseNegatives += own.falseNegatives;
    }
  }
  return result;
}

}  // namespace lockstep::coco
