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
#include "widgets/instances/match_rules.h"
#include "widgets/instances/missed_reason.h"
#include "widgets/instances/verdict.h"

/// Matches predictions to ground truth for display, with coco::findOverlaps and
/// coco::evaluateImage. All functions may be called from any thread.
namespace lockstep::widgets {

/// px² of the mask where masks are matched and there is one, else of the box.
double shownAreaPx(const coco::Detection& detection, coco::IouType type);
double shownAreaPx(const coco::Annotation& object, coco::IouType type);

/// An image with its annotations and detections.
struct ImageContent {
  coco::Image image;
  const std::vector<coco::Annotation>* annotations = nullptr;
  const std::vector<coco::Detection>* detections = nullptr;
  MatchRules rules{};
  /// Whose classes are judged: detections of others are ignored, as in COCO's evaluation. nullptr:
  /// all are.
  const coco::Dataset* dataset = nullptr;
};
ImageContent contentOf(const coco::Dataset& dataset, std::size_t imageIndex,
                       const std::vector<coco::Detection>& detections, const MatchRules& rules);

coco::ImageOverlaps overlapsOf(const ImageContent& content);

/// One row of the instance table and one outline on the image.
struct InstanceFacts {
  Verdict verdict = Verdict::TruePositive;
  std::optional<coco::ErrorType> error;  ///< of a false positive
  std::optional<MissedReason> missed{};  ///< of a missed object
  bool isCovered = false;                ///< a missed object that an error stands for
  int detection = -1;                    ///< index on its image; -1 for a missed object
  int annotation = -1;                   ///< the matched or missed object; -1: none
  int object = -1;       ///< of a detection: the matched object, else the one of any class that
                         ///< it overlaps most; -1: none
  double objectIou = 0;  ///< with it
  CategoryId category;
  double score = 0;  ///< NaN for a missed object
  double iou = 0;    ///< with the matched object, else the highest with an object of its class
  double areaPx = 0;
  std::array<double, 4> boxXywh{};

  void becomeUnjudged() {
    verdict = Verdict::Unjudged;
    error.reset();
  }
  /// The one to show: with `object` where there is one.
  double shownIou() const { return object >= 0 ? objectIou : iou; }
  bool isError() const { return verdict == Verdict::FalsePositive || verdict == Verdict::Missed; }
};

/// ErrorText::name of a false positive or a missed object, or "".
QString errorName(const InstanceFacts& facts);

struct MatchThresholds {
  double score = 0.5, iou = 0.5;
};

/// The instances at these thresholds, worst first: errors before matches, then by ascending IoU.
/// `overlaps` must be overlapsOf(content).
std::vector<InstanceFacts> instancesAt(const ImageContent& content,
                                       const coco::ImageOverlaps& overlaps,
                                       const MatchThresholds& thresholds,
                                       const std::set<CategoryId>& hidden);

/// Scores of true and false positives, so that the counts at a score threshold take two binary
/// searches.
struct ScoreTally {
  std::vector<double> truePositives, falsePositives;  ///< descending
  std::size_t groundTruths = 0;

  coco::Counts at(double scoreThreshold) const;
};
using ClassTallies = std::map<CategoryId, ScoreTally>;

/// Sum over the classes that are not hidden.
coco::Counts countsAt(const ClassTallies& tallies, double scoreThreshold,
                      const std::set<CategoryId>& hidden);
/// Number of false positives and missed objects.
int errorCount(const coco::Counts& counts);

}  // namespace lockstep::widgets
