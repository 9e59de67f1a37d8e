#include "widgets/instances/instance_match.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::widgets {
namespace {

/// Below this overlap a detection is not said to be a badly placed one of that object (as in TIDE,
/// Bolya et al. 2020).
constexpr double kForegroundIou = 0.1;

using Box = std::array<double, 4>;

double intersectionPx(const Box& a, const Box& b) {
  const double width = std::min(a[0] + a[2], b[0] + b[2]) - std::max(a[0], b[0]);
  const double height = std::min(a[1] + a[3], b[1] + b[3]) - std::max(a[1], b[1]);
  return width > 0 && height > 0 ? width * height : 0;
}

double boxIou(const Box& detection, const Box& groundTruth, bool crowd) {
  const double both = intersectionPx(detection, groundTruth);
  const double own = detection[2] * detection[3];
  const double all = crowd ? own : own + groundTruth[2] * groundTruth[3] - both;
  return all > 0 ? both / all : 0;
}

bool hasMask(const coco::Detection& detection) { return detection.mask.height > 0; }

coco::IouType iouTypeOf(const std::vector<coco::Detection>& detections) {
  return std::all_of(detections.begin(), detections.end(), hasMask) ? coco::IouType::Mask
                                                                    : coco::IouType::Box;
}

std::vector<coco::Rle> masksOf(const ImageContent& content) {
  std::vector<coco::Rle> masks;
  masks.reserve(content.annotations->size());
  for (const coco::Annotation& annotation : *content.annotations) {
    masks.push_back(coco::annotationMask(annotation, content.image));
  }
  return masks;
}

/// Overlaps within and across classes.
void findOverlaps(const ImageContent& content, coco::IouType type, ImageAnalysis& analysis) {
  const std::vector<coco::Annotation>& annotations = *content.annotations;
  const std::vector<coco::Detection>& detections = *content.detections;
  const bool byMask = type == coco::IouType::Mask && !detections.empty();
  const std::vector<coco::Rle> masks = byMask ? masksOf(content) : std::vector<coco::Rle>();
  analysis.otherClassIou.assign(detections.size(), 0.0);
  for (std::size_t d = 0; d < detections.size(); ++d) {
    for (std::size_t g = 0; g < annotations.size(); ++g) {
      const coco::Annotation& truth = annotations[g];
      double iou = boxIou(detections[d].boxXywh, truth.boxXywh, truth.isCrowd);
      if (iou <= 0) continue;
      if (byMask) iou = coco::maskIou(detections[d].mask, masks[g], truth.isCrowd);
      if (iou <= 0) continue;
      if (truth.categoryId == detections[d].categoryId) {
        analysis.overlaps.push_back({static_cast<int>(d), static_cast<int>(g), iou});
      } else if (!truth.isCrowd) {
        analysis.otherClassIou[d] = std::max(analysis.otherClassIou[d], iou);
      }
    }
  }
}

Verdict verdictOf(const ImageContent& content, const ImageAnalysis& analysis,
                  std::size_t detection) {
  const int truth = analysis.match.gtOfDetection[detection];
  if (truth < -1) return Verdict::Ignored;  // past the hundred best of its class
  if (truth < 0) return Verdict::FalsePositive;
  return (*content.annotations)[static_cast<std::size_t>(truth)].isCrowd ? Verdict::Ignored
                                                                         : Verdict::TruePositive;
}

InstanceError errorOf(const ImageAnalysis& analysis, std::size_t detection) {
  const double iou = analysis.match.iouOfDetection[detection];
  if (iou >= analysis.iouThreshold) return InstanceError::Duplicate;
  if (analysis.otherClassIou[detection] >= analysis.iouThreshold) return InstanceError::WrongClass;
  return iou >= kForegroundIou ? InstanceError::Localisation : InstanceError::Background;
}

InstanceFacts detectionFacts(const ImageContent& content, const ImageAnalysis& analysis,
                             std::size_t index) {
  const coco::Detection& detection = (*content.detections)[index];
  InstanceFacts facts;
  facts.verdict = verdictOf(content, analysis, index);
  if (facts.verdict == Verdict::FalsePositive) facts.error = errorOf(analysis, index);
  facts.detection = static_cast<int>(index);
  facts.annotation = std::max(analysis.match.gtOfDetection[index], -1);
  facts.category = detection.categoryId;
  facts.score = detection.score;
  facts.iou = analysis.match.iouOfDetection[index];
  facts.areaPx = hasMask(detection) ? static_cast<double>(coco::areaPx(detection.mask))
                                    : detection.boxXywh[2] * detection.boxXywh[3];
  facts.boxXywh = detection.boxXywh;
  return facts;
}

InstanceFacts missedFacts(const ImageContent& content, const ImageAnalysis& analysis,
                          std::size_t index, double scoreThreshold) {
  const coco::Annotation& truth = (*content.annotations)[index];
  InstanceFacts facts;
  facts.verdict = Verdict::Missed;
  facts.error = InstanceError::Missed;
  facts.annotation = static_cast<int>(index);
  facts.category = truth.categoryId;
  facts.score = std::numeric_limits<double>::quiet_NaN();
  for (const ImageAnalysis::Overlap& overlap : analysis.overlaps) {
    const bool isShown =
        (*content.detections)[static_cast<std::size_t>(overlap.detection)].score >= scoreThreshold;
    if (overlap.annotation == facts.annotation && isShown)
      facts.iou = std::max(facts.iou, overlap.iou);
  }
  facts.areaPx = truth.area;
  facts.boxXywh = truth.boxXywh;
  return facts;
}

/// Whether the object is found by a detection that is shown.
bool isFound(const ImageContent& content, const ImageAnalysis& analysis, std::size_t annotation,
             double scoreThreshold) {
  const int detection = analysis.match.detectionOfGt[annotation];
  return detection >= 0 &&
         (*content.detections)[static_cast<std::size_t>(detection)].score >= scoreThreshold;
}

int countAtLeast(const std::vector<double>& falling, double threshold) {
  return static_cast<int>(std::partition_point(falling.begin(), falling.end(),
                                               [&](double s) { return s >= threshold; }) -
                          falling.begin());
}

}  // namespace

ImageAnalysis analyseImage(const ImageContent& content, double iouThreshold) {
  ImageAnalysis analysis;
  analysis.iouThreshold = iouThreshold;
  const coco::IouType type = iouTypeOf(*content.detections);
  analysis.match = coco::matchImage(content.image, *content.annotations, *content.detections, type,
                                    -std::numeric_limits<double>::infinity(), iouThreshold);
  findOverlaps(content, type, analysis);
  return analysis;
}

std::vector<InstanceFacts> instancesAt(const ImageContent& content, const ImageAnalysis& analysis,
                                       double scoreThreshold, const std::set<CategoryId>& hidden) {
  std::vector<InstanceFacts> instances;
  for (std::size_t d = 0; d < content.detections->size(); ++d) {
    const coco::Detection& detection = (*content.detections)[d];
    if (detection.score < scoreThreshold || hidden.count(detection.categoryId)) continue;
    instances.push_back(detectionFacts(content, analysis, d));
  }
  for (std::size_t g = 0; g < content.annotations->size(); ++g) {
    const coco::Annotation& truth = (*content.annotations)[g];
    if (truth.isCrowd || hidden.count(truth.categoryId)) continue;
    if (isFound(content, analysis, g, scoreThreshold)) continue;
    instances.push_back(missedFacts(content, analysis, g, scoreThreshold));
  }
  std::stable_sort(instances.begin(), instances.end(),
                   [](const InstanceFacts& a, const InstanceFacts& b) {
                     const bool aIsRight = a.error == InstanceError::None,
                                bIsRight = b.error == InstanceError::None;
                     return aIsRight != bIsRight ? bIsRight : a.iou < b.iou;
                   });
  return instances;
}

ScoreCounts operator+(const ScoreCounts& left, const ScoreCounts& right) {
  return {left.truePositives + right.truePositives, left.falsePositives + right.falsePositives,
          left.missed + right.missed};
}

void ScoreTally::sort() {
  std::sort(right.begin(), right.end(), std::greater<>());
  std::sort(wrong.begin(), wrong.end(), std::greater<>());
}

ScoreCounts ScoreTally::at(double scoreThreshold) const {
  const int found = countAtLeast(right, scoreThreshold);
  return {found, countAtLeast(wrong, scoreThreshold), groundTruths - found};
}

void addToTallies(const ImageContent& content, const ImageAnalysis& analysis,
                  ClassTallies& tallies) {
  for (std::size_t d = 0; d < content.detections->size(); ++d) {
    const coco::Detection& detection = (*content.detections)[d];
    const Verdict verdict = verdictOf(content, analysis, d);
    ScoreTally& tally = tallies[detection.categoryId];
    if (verdict == Verdict::TruePositive) tally.right.push_back(detection.score);
    if (verdict == Verdict::FalsePositive) tally.wrong.push_back(detection.score);
  }
  for (const coco::Annotation& truth : *content.annotations) {
    if (!truth.isCrowd) ++tallies[truth.categoryId].groundTruths;
  }
}

ScoreCounts countsAt(const ClassTallies& tallies, double scoreThreshold,
                     const std::set<CategoryId>& hidden) {
  ScoreCounts counts;
  for (const auto& [category, tally] : tallies) {
    if (!hidden.count(category)) counts = counts + tally.at(scoreThreshold);
  }
  return counts;
}

}  // namespace lockstep::widgets
