#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "engine/coco/analysis/error_types.h"
#include "engine/coco/analysis/operating_point.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"
#include "widgets/instances/verdict.h"

/// How predictions stand to the ground truth, for pictures and tables: what coco::findOverlaps and
/// coco::judgeImage say, by the lists that are shown. Plain functions of values: any thread.
namespace lockstep::widgets {

/// What stands on one image.
struct ImageContent {
  coco::Image image;
  const std::vector<coco::Annotation>* annotations = nullptr;
  const std::vector<coco::Detection>* detections = nullptr;
};

/// By masks where every detection has one, else by boxes.
coco::ImageOverlaps overlapsOf(const ImageContent& content);

/// One row of the instance table, one outline on the picture.
struct InstanceFacts {
  Verdict verdict = Verdict::TruePositive;
  std::optional<coco::ErrorType> error;  ///< of a false positive
  int detection = -1;                    ///< index on its image; -1 for a missed object
  int annotation = -1;                   ///< the matched or missed object; -1: none
  CategoryId category;
  double score = 0;  ///< NaN for a missed object
  double iou = 0;    ///< with the matched, else with the nearest object of its class
  double areaPx = 0;
  std::array<double, 4> boxXywh{};

  bool isError() const { return verdict == Verdict::FalsePositive || verdict == Verdict::Missed; }
};

/// "missed", the type of a false positive as coco-eval names it, or "".
QString errorName(const InstanceFacts& facts);

struct MatchThresholds {
  double score = 0.5, iou = 0.5;
};

/// What is shown at these thresholds, worst first: errors before matches, then by rising IoU.
/// `overlaps` are of the same content.
std::vector<InstanceFacts> instancesAt(const ImageContent& content,
                                       const coco::ImageOverlaps& overlaps,
                                       const MatchThresholds& thresholds,
                                       const std::set<CategoryId>& hidden);

/// Scores of right and wrong detections, so that counts at any score threshold are two binary
/// searches.
struct ScoreTally {
  std::vector<double> right, wrong;  ///< falling once sort() was called
  std::size_t groundTruths = 0;

  void sort();
  coco::Counts at(double scoreThreshold) const;
};
using ClassTallies = std::map<CategoryId, ScoreTally>;

/// Adds an image to the tallies (unsorted).
void addToTallies(const coco::ImageOverlaps& overlaps, double iouThreshold, ClassTallies& tallies);
/// Sum over the classes that are not hidden.
coco::Counts countsAt(const ClassTallies& tallies, double scoreThreshold,
                      const std::set<CategoryId>& hidden);
/// False positives and missed objects.
int errorCount(const coco::Counts& counts);

}  // namespace lockstep::widgets
