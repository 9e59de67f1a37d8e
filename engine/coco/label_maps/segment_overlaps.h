#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

/// An image as two label maps: of its objects and of its detections. Every pixel of a label map
/// belongs to one segment at most, so that what one covers of another is cut off.
namespace lockstep::coco {

struct Segment {
  CategoryId category;
  std::uint64_t areaPx = 0;  ///< of what is visible, > 0
  bool isCrowd = false;
};

/// A pair of segments that share pixels, of any two categories.
struct SegmentOverlap {
  std::uint32_t object = 0, detection = 0;  ///< in SegmentOverlaps
  std::uint64_t sharedPx = 0;
};

/// The segments of both label maps, without those that nothing is visible of.
struct SegmentOverlaps {
  std::vector<Segment> objects;       ///< in the given order
  std::vector<Segment> detections;    ///< by falling score, ties in the given order
  std::vector<SegmentOverlap> pairs;  ///< by object, then by detection
};

/// Objects lie over crowds, smaller objects over larger ones (of equal ones the later), detections
/// of higher scores over those of lower ones (of equal ones the earlier). Detections below the
/// score threshold are left out; those without a mask are their boxes. Takes 8 bytes a pixel.
/// Throws Error for a mask that does not have the image's size, and for an image of over 2^28 px.
SegmentOverlaps findSegmentOverlaps(const Image& image, const std::vector<Annotation>& annotations,
                                    std::span<const Detection> detections, double scoreThreshold);

/// IoU of the visible parts.
double iouOf(const SegmentOverlaps& image, const SegmentOverlap& pair);

/// Whether most of a detection lies in crowds of its category, so that it does not count if it is
/// not matched.
std::vector<char> liesInCrowd(const SegmentOverlaps& image);

}  // namespace lockstep::coco
