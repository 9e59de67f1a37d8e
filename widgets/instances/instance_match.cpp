#include "widgets/instances/instance_match.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "engine/coco/analysis/evaluated_image.h"
#include "widgets/instances/error_text.h"

namespace lockstep::widgets {
namespace {

double areaOfBox(const std::array<double, 4>& boxXywh) { return boxXywh[2] * boxXywh[3]; }

Verdict verdictOf(coco::MatchVerdict verdict) {
  switch (verdict) {
    case coco::MatchVerdict::TruePositive:
      return Verdict::TruePositive;
    case coco::MatchVerdict::FalsePositive:
      return Verdict::FalsePositive;
    case coco::MatchVerdict::Ignored:
      break;
  }
  return Verdict::Ignored;
}

/// `judged` nullptr: over the limit of its class, or of a class that the annotations do not list.
InstanceFacts detectionFacts(const coco::Detection& detection, coco::IouType type,
                             std::size_t index, const coco::EvaluatedDetection* judged) {
  InstanceFacts facts;
  facts.verdict = Verdict::Ignored;
  if (judged != nullptr) {
    facts.verdict = verdictOf(judged->match.verdict);
    facts.error = judged->error;
    facts.annotation = judged->match.annotation;
    facts.iou = judged->match.iou;
  }
  facts.detection = static_cast<int>(index);
  facts.category = detection.categoryId;
  facts.score = detection.score;
  facts.areaPx = shownAreaPx(detection, type);
  facts.boxXywh = detection.boxXywh;
  return facts;
}

InstanceFacts missedFacts(const ImageContent& content, std::uint32_t index,
                          const coco::ImageOverlaps& overlaps, const coco::EvaluatedImage& judged,
                          const MatchThresholds& thresholds) {
  const coco::Annotation& object = (*content.annotations)[index];
  InstanceFacts facts;
  facts.verdict = Verdict::Missed;
  facts.annotation = static_cast<int>(index);
  facts.category = object.categoryId;
  facts.score = std::numeric_limits<double>::quiet_NaN();
  for (const coco::Overlap& pair : overlaps.pairs) {
    const coco::OverlapDetection& detection = overlaps.detections[pair.detection];
    const bool isShown = detection.score >= thresholds.score;
    if (pair.annotation == index && isShown && detection.category == object.categoryId)
      facts.iou = std::max(facts.iou, pair.iou);
  }
  facts.missed = reasonOf(overlaps, judged, index, thresholds);
  facts.isCovered = !std::ranges::binary_search(judged.uncovered, index);
  facts.areaPx = shownAreaPx(object, content.rules.type);
  facts.boxXywh = object.boxXywh;
  return facts;
}

/// The object that each detection of the overlaps overlaps most; nullptr: none.
std::vector<const coco::Overlap*> mostOverlapped(const coco::ImageOverlaps& overlaps) {
  std::vector<const coco::Overlap*> most(overlaps.detections.size());
  for (const coco::Overlap& pair : overlaps.pairs) {
    const coco::Overlap*& known = most[pair.detection];
    const bool isCrowd = overlaps.annotations[pair.annotation].isCrowd;
    if (!isCrowd && (known == nullptr || pair.iou > known->iou)) known = &pair;
  }
  return most;
}

void addObject(InstanceFacts& facts, const coco::Overlap* mostOverlapped) {
  if (facts.annotation >= 0) {
    facts.object = facts.annotation;
    facts.objectIou = facts.iou;
  } else if (mostOverlapped != nullptr) {
    facts.object = static_cast<int>(mostOverlapped->annotation);
    facts.objectIou = mostOverlapped->iou;
  }
}

std::size_t countAtLeast(const std::vector<double>& descending, double threshold) {
  return static_cast<std::size_t>(std::partition_point(descending.begin(), descending.end(),
                                                       [&](double s) { return s >= threshold; }) -
                                  descending.begin());
}

}  // namespace

double shownAreaPx(const coco::Detection& detection, coco::IouType type) {
  const bool isOfMask = type != coco::IouType::Box && detection.mask.height > 0;
  return isOfMask ? static_cast<double>(coco::areaPx(detection.mask))
                  : areaOfBox(detection.boxXywh);
}

double shownAreaPx(const coco::Annotation& object, coco::IouType type) {
  const bool isOfMask = type != coco::IouType::Box && object.hasMask;
  return isOfMask ? object.area : areaOfBox(object.boxXywh);
}

ImageContent contentOf(const coco::Dataset& dataset, std::size_t imageIndex,
                       const std::vector<coco::Detection>& detections, const MatchRules& rules) {
  return {dataset.images()[imageIndex], &dataset.annotationsOf(imageIndex), &detections, rules,
          rules.hasTruth ? &dataset : nullptr};
}

coco::ImageOverlaps overlapsOf(const ImageContent& content) {
  const std::vector<coco::Detection>& detections = *content.detections;
  std::vector<const coco::Detection*> judged;
  judged.reserve(detections.size());
  for (const coco::Detection& one : detections)
    if (content.dataset == nullptr || content.dataset->hasCategory(one.categoryId))
      judged.push_back(&one);
  coco::ImageOverlaps overlaps = coco::findOverlaps(content.image, *content.annotations, judged,
                                                    content.rules.type, content.rules.params());
  for (coco::OverlapDetection& one : overlaps.detections)
    one.index = static_cast<std::uint32_t>(judged[one.index] - detections.data());
  return overlaps;
}

std::vector<InstanceFacts> instancesAt(const ImageContent& content,
                                       const coco::ImageOverlaps& overlaps,
                                       const MatchThresholds& thresholds,
                                       const std::set<CategoryId>& hidden) {
  const coco::EvaluatedImage judged =
      coco::evaluateImage(overlaps, thresholds.score, thresholds.iou);
  std::vector<const coco::EvaluatedDetection*> byIndex(content.detections->size());
  for (const coco::EvaluatedDetection& one : judged.detections)
    byIndex[overlaps.detections[one.detection].index] = &one;
  const std::vector<const coco::Overlap*> most = mostOverlapped(overlaps);
  std::vector<InstanceFacts> instances;
  for (std::size_t d = 0; d < content.detections->size(); ++d) {
    const coco::Detection& detection = (*content.detections)[d];
    if (detection.score < thresholds.score || hidden.count(detection.categoryId)) continue;
    instances.push_back(detectionFacts(detection, content.rules.type, d, byIndex[d]));
    if (byIndex[d] != nullptr) addObject(instances.back(), most[byIndex[d]->detection]);
    if (!content.rules.hasTruth) instances.back().becomeUnjudged();
  }
  for (const std::uint32_t g : judged.missed) {
    const coco::Annotation& object = (*content.annotations)[g];
    if (hidden.count(object.categoryId)) continue;
    instances.push_back(missedFacts(content, g, overlaps, judged, thresholds));
  }
  std::stable_sort(instances.begin(), instances.end(),
                   [](const InstanceFacts& a, const InstanceFacts& b) {
                     return a.isError() != b.isError() ? a.isError() : a.iou < b.iou;
                   });
  return instances;
}

QString errorName(const InstanceFacts& facts) {
  if (facts.verdict == Verdict::Missed) return errorText(coco::ErrorType::Missed).name;
  return facts.error ? errorText(*facts.error).name : QString();
}

coco::Counts ScoreTally::at(double scoreThreshold) const {
  const std::size_t found = countAtLeast(truePositives, scoreThreshold);
  return {found, countAtLeast(falsePositives, scoreThreshold), groundTruths - found};
}

coco::Counts countsAt(const ClassTallies& tallies, double scoreThreshold,
                      const std::set<CategoryId>& hidden) {
  coco::Counts counts;
  for (const auto& [category, tally] : tallies)
    if (!hidden.count(category)) counts += tally.at(scoreThreshold);
  return counts;
}

int errorCount(const coco::Counts& counts) {
  return static_cast<int>(counts.falsePositives + counts.falseNegatives);
}

}  // namespace lockstep::widgets
