#pragma once

#include <array>
#include <map>
#include <set>
#include <vector>

#include "engine/coco/evaluation/average_precision.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"
#include "widgets/instances/verdict.h"

/// How predictions stand to the ground truth, for pictures and tables. Plain functions of values:
/// any thread.
namespace lockstep::widgets {

/// What stands on one image.
struct ImageContent {
  coco::Image image;
  const std::vector<coco::Annotation>* annotations = nullptr;
  const std::vector<coco::Detection>* detections = nullptr;
};

/// The match of one image at one IoU threshold and every score. Detections are matched by falling
/// score, so what a higher score threshold shows is a part of this match: moving the score slider
/// matches nothing anew.
struct ImageAnalysis {
  struct Overlap {
    int detection = 0, annotation = 0;  ///< of the same class
    double iou = 0;
  };
  double iouThreshold = 0.5;
  coco::ImageMatch match;
  std::vector<double>
      otherClassIou;              ///< of each detection: best with an annotation of another class
  std::vector<Overlap> overlaps;  ///< above 0
};

/// By masks where a detection has one, else by boxes.
ImageAnalysis analyseImage(const ImageContent& content, double iouThreshold);

/// One row of the instance table, one outline on the picture.
struct InstanceFacts {
  Verdict verdict = Verdict::TruePositive;
  InstanceError error = InstanceError::None;
  int detection = -1;   ///< index on its image; -1 for a missed object
  int annotation = -1;  ///< the matched or missed object; -1: none
  CategoryId category;
  double score = 0;  ///< NaN for a missed object
  double iou = 0;    ///< with the matched, else with the nearest object of its class
  double areaPx = 0;
  std::array<double, 4> boxXywh{};
};

/// What is shown at a score threshold, worst first: errors before matches, then by rising IoU.
std::vector<InstanceFacts> instancesAt(const ImageContent& content, const ImageAnalysis& analysis,
                                       double scoreThreshold, const std::set<CategoryId>& hidden);

struct ScoreCounts {
  int truePositives = 0, falsePositives = 0, missed = 0;
  int errors() const { return falsePositives + missed; }
};
ScoreCounts operator+(const ScoreCounts& left, const ScoreCounts& right);

/// Scores of right and wrong detections, so that counts at any score threshold are two binary
/// searches.
struct ScoreTally {
  std::vector<double> right, wrong;  ///< falling once sort() was called
  int groundTruths = 0;

  void sort();
  ScoreCounts at(double scoreThreshold) const;
};
using ClassTallies = std::map<CategoryId, ScoreTally>;

/// Adds an image to the tallies (unsorted).
void addToTallies(const ImageContent& content, const ImageAnalysis& analysis,
                  ClassTallies& tallies);
/// Sum over the classes that are not hidden.
ScoreCounts countsAt(const ClassTallies& tallies, double scoreThreshold,
                     const std::set<CategoryId>& hidden);

}  // namespace lockstep::widgets
