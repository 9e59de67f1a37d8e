#include "widgets/instances/listed_instances.h"

#include <limits>

#include "engine/base/parallel_for.h"
#include "engine/coco/analysis/evaluated_image.h"

namespace lockstep::widgets {
namespace {

constexpr std::size_t kListedChunk = 64;  ///< images that one thread takes at a time

/// The instances of an image that the order asks for.
struct AskedImage {
  const coco::ImageOverlaps& overlaps;
  const coco::EvaluatedImage& judged;
  const ImageOrder& order;
  std::size_t image;
  bool hasTruth;

  void addMissed(std::vector<ListedInstance>& found) const;
  void addDetections(coco::MatchVerdict verdict, std::vector<ListedInstance>& found) const;
};

void AskedImage::addMissed(std::vector<ListedInstance>& found) const {
  if (!hasTruth || !order.asksFor(coco::ErrorType::Missed)) return;
  for (const std::uint32_t missed : order.missedOf(judged)) {
    const coco::OverlapAnnotation& object = overlaps.annotations[missed];
    if (order.asksFor(object.category, object.areaPx))
      found.push_back({image, object.category, Verdict::Missed, -1, static_cast<int>(missed),
                       std::numeric_limits<double>::quiet_NaN()});
  }
}

void AskedImage::addDetections(coco::MatchVerdict verdict,
                               std::vector<ListedInstance>& found) const {
  const bool isTrue = verdict == coco::MatchVerdict::TruePositive;
  if (isTrue && order.asksForErrors()) return;
  for (const coco::EvaluatedDetection& one : judged.detections) {
    const coco::OverlapDetection& detection = overlaps.detections[one.detection];
    if (one.match.verdict != verdict || !order.asksFor(detection.category, detection.areaPx))
      continue;
    if (!isTrue && hasTruth && one.error && !order.asksFor(*one.error)) continue;
    found.push_back({image, detection.category,
                     !hasTruth ? Verdict::Unjudged
                     : isTrue  ? Verdict::TruePositive
                               : Verdict::FalsePositive,
                     static_cast<int>(detection.index), -1, detection.score});
  }
}

}  // namespace

std::vector<ListedInstance> listedInstances(const coco::Dataset& dataset,
                                            const CheckpointAnalysis& analysis,
                                            const ImageOrder& order,
                                            const std::vector<std::size_t>& images) {
  const bool hasTruth = analysis.overlaps->rules.hasTruth;
  std::vector<std::vector<ListedInstance>> ofImages(images.size());
  const auto look = [&](std::size_t place) {
    const std::size_t image = images[place];
    const auto* known = analysis.overlaps->find(dataset.images()[image].id);
    if (known == nullptr || !known->overlaps) return;
    const coco::ImageOverlaps& overlaps = *known->overlaps;
    const auto judged = coco::evaluateImage(overlaps, order.scoreThreshold, analysis.iouThreshold);
    const AskedImage asked{overlaps, judged, order, image, hasTruth};
    asked.addMissed(ofImages[place]);
    for (const auto verdict : {coco::MatchVerdict::FalsePositive, coco::MatchVerdict::TruePositive})
      asked.addDetections(verdict, ofImages[place]);
  };
  base::parallelForChunks(images.size(), kListedChunk, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) look(i);
  });
  std::vector<ListedInstance> all;
  for (const auto& found : ofImages) all.insert(all.end(), found.begin(), found.end());
  return all;
}

}  // namespace lockstep::widgets
