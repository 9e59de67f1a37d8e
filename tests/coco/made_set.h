#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/coco/analysis/overlap_set.h"
#include "engine/coco/evaluation/image_matches.h"

namespace lockstep::tests {

/// The first image of a made set.
inline const coco::Image kMadeImage{{1}, "a.png", 100, 100};

/// An object or a detection of a hand-made test set: a box in one of two images of 100 x 100 px.
struct MadeBox {
  std::int64_t image, category;
  std::array<double, 4> xywh;
  double score = 0;
  bool isCrowd = false;
};

/// A detection of a large object, with the same outcome at all of COCO's thresholds.
struct MadeOutcome {
  double score = 0;
  bool isRight = false;
};
/// Adds a class with `objects` large objects to an image's matches.
void addMatches(coco::ImageMatches& image, std::int64_t category,
                const std::vector<MadeOutcome>& detections, std::uint32_t objects = 1);
/// An image with one class.
coco::ImageMatches madeMatches(std::int64_t category, const std::vector<MadeOutcome>& detections);

/// Images 1 and 2, classes 1, 2 and 3; annotation ids from 1.
coco::Dataset madeDataset(const std::vector<MadeBox>& objects);
std::vector<coco::Detection> madeDetections(const std::vector<MadeBox>& detections);
coco::OverlapSet madeSet(const std::vector<MadeBox>& objects,
                         const std::vector<MadeBox>& detections);

}  // namespace lockstep::tests
