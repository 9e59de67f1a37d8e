#include "engine/coco/label_maps/segment_overlaps.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

/// Position of a segment in its list plus 1; 0: no segment. Column-major, as runs are.
using LabelMap = std::vector<std::uint32_t>;

/// Two label maps of so many pixels have 2 GiB.
constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 28;

std::uint64_t pixelCount(const Image& image) {
  return static_cast<std::uint64_t>(image.height) * static_cast<std::uint64_t>(image.width);
}

/// Paints segments in order, later ones over earlier ones.
class Painter {
 public:
  explicit Painter(const Image& image) : pixels_(pixelCount(image)) {}

  void paint(const Rle& mask, std::uint32_t label) {
    forEachForegroundRun(mask, [&](std::uint64_t begin, std::uint64_t end) {
      std::fill(pixels_.begin() + static_cast<std::ptrdiff_t>(begin),
                pixels_.begin() + static_cast<std::ptrdiff_t>(end), label);
    });
  }
  LabelMap take() { return std::move(pixels_); }

 private:
  LabelMap pixels_;
};

Rle maskOf(const Detection& detection, const Image& image) {
  if (detection.mask.height == 0)
    return rasterisePolygon(boxOutline(detection.boxXywh), image.height, image.width);
  requireMaskSize(detection, image);
  return detection.mask;
}

/// An object without a mask counts as a crowd.
bool isCrowd(const Annotation& annotation) { return annotation.isCrowd || !annotation.hasMask; }

LabelMap paintObjects(const Image& image, const std::vector<Annotation>& annotations) {
  std::vector<Rle> masks;
  std::vector<std::uint64_t> areas;
  for (const Annotation& annotation : annotations) {
    masks.push_back(annotationMask(annotation, image));
    areas.push_back(areaPx(masks.back()));
  }
  std::vector<std::uint32_t> order(annotations.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const bool aIsCrowd = isCrowd(annotations[a]), bIsCrowd = isCrowd(annotations[b]);
    return aIsCrowd != bIsCrowd ? aIsCrowd : areas[a] > areas[b];
  });
  Painter painter(image);
  for (const std::uint32_t index : order) painter.paint(masks[index], index + 1);
  return painter.take();
}

/// Of the detections that reach the score threshold, by falling score.
std::vector<const Detection*> ranked(std::span<const Detection> detections, double scoreThreshold) {
  std::vector<const Detection*> list;
  for (const Detection& detection : detections)
    if (detection.score >= scoreThreshold) list.push_back(&detection);
  std::ranges::stable_sort(list, [](const auto* a, const auto* b) { return a->score > b->score; });
  return list;
}

/// Numbers the segments that something is visible of, in their order: 0 for the others.
class VisibleSegments {
 public:
  explicit VisibleSegments(std::size_t count) : areas_(count + 1, 0), number_(count + 1, 0) {}
  void count(const LabelMap& map) {
    for (const std::uint32_t label : map) ++areas_[label];
    std::uint32_t next = 0;
    for (std::size_t label = 1; label < areas_.size(); ++label)
      if (areas_[label] > 0) number_[label] = ++next;
  }
  /// Of label 1, 2 …; 0: nothing is visible.
  std::uint64_t areaPx(std::size_t label) const { return areas_[label]; }
  std::uint32_t numberOf(std::size_t label) const { return number_[label]; }

 private:
  std::vector<std::uint64_t> areas_;
  std::vector<std::uint32_t> number_;
};

std::vector<SegmentOverlap> sharedPixels(const LabelMap& objects, const VisibleSegments& ofObjects,
                                         const LabelMap& detections,
                                         const VisibleSegments& ofDetections) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> shared;
  for (std::size_t p = 0; p < objects.size();) {
    const std::size_t begin = p;
    while (p < objects.size() && objects[p] == objects[begin] && detections[p] == detections[begin])
      ++p;
    if (objects[begin] == 0 || detections[begin] == 0) continue;
    shared[{ofObjects.numberOf(objects[begin]) - 1,
            ofDetections.numberOf(detections[begin]) - 1}] += p - begin;
  }
  std::vector<SegmentOverlap> pairs;
  for (const auto& [segments, px] : shared) pairs.push_back({segments.first, segments.second, px});
  return pairs;
}

}  // namespace

SegmentOverlaps findSegmentOverlaps(const Image& image, const std::vector<Annotation>& annotations,
                                    std::span<const Detection> detections, double scoreThreshold) {
  if (pixelCount(image) > kMostPixels) {
    throw Error("image " + std::to_string(image.id.value) + " is " + std::to_string(image.height) +
                " x " + std::to_string(image.width) +
                " px (height x width): label maps are limited "
                "to " +
                std::to_string(kMostPixels) + " px");
  }
  const std::vector<const Detection*> list = ranked(detections, scoreThreshold);
  Painter painter(image);
  for (std::size_t d = list.size(); d-- > 0;)
    painter.paint(maskOf(*list[d], image), static_cast<std::uint32_t>(d + 1));
  const LabelMap detectionMap = painter.take();
  const LabelMap objectMap = paintObjects(image, annotations);
  VisibleSegments ofObjects(annotations.size()), ofDetections(list.size());
  ofObjects.count(objectMap);
  ofDetections.count(detectionMap);

  SegmentOverlaps overlaps;
  for (std::size_t g = 0; g < annotations.size(); ++g) {
    if (const std::uint64_t area = ofObjects.areaPx(g + 1); area > 0)
      overlaps.objects.push_back({annotations[g].categoryId, area, isCrowd(annotations[g])});
  }
  for (std::size_t d = 0; d < list.size(); ++d) {
    if (const std::uint64_t area = ofDetections.areaPx(d + 1); area > 0)
      overlaps.detections.push_back({list[d]->categoryId, area, false});
  }
  overlaps.pairs = sharedPixels(objectMap, ofObjects, detectionMap, ofDetections);
  return overlaps;
}

double iouOf(const SegmentOverlaps& image, const SegmentOverlap& pair) {
  const std::uint64_t both =
      image.objects[pair.object].areaPx + image.detections[pair.detection].areaPx - pair.sharedPx;
  return static_cast<double>(pair.sharedPx) / static_cast<double>(both);
}

std::vector<char> liesInCrowd(const SegmentOverlaps& image) {
  std::vector<std::uint64_t> inCrowds(image.detections.size(), 0);
  for (const SegmentOverlap& pair : image.pairs) {
    const Segment& object = image.objects[pair.object];
    if (object.isCrowd && object.category == image.detections[pair.detection].category)
      inCrowds[pair.detection] += pair.sharedPx;
  }
  std::vector<char> lies;
  for (std::size_t d = 0; d < inCrowds.size(); ++d)
    lies.push_back(2 * inCrowds[d] > image.detections[d].areaPx ? 1 : 0);
  return lies;
}

}  // namespace lockstep::coco
