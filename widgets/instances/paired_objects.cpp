#include "widgets/instances/paired_objects.h"

#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/evaluation/average_precision.h"

namespace lockstep::widgets {
namespace {

Finders findersOf(int detectionOfFirst, int detectionOfSecond) {
  if (detectionOfFirst >= 0) return detectionOfSecond >= 0 ? Finders::Both : Finders::OnlyFirst;
  return detectionOfSecond >= 0 ? Finders::OnlySecond : Finders::Neither;
}

PairedFind findOf(const coco::ImageMatch& match, const std::vector<coco::Detection>& detections,
                  std::size_t object) {
  if (match.detectionOfGt[object] < 0) return {};
  const auto found = static_cast<std::size_t>(match.detectionOfGt[object]);
  return {static_cast<float>(detections[found].score),
          static_cast<float>(match.iouOfDetection[found])};
}

}  // namespace

std::vector<PairedObject> pairedObjects(const coco::Dataset& dataset,
                                        const PredictionStore::ByImage& first,
                                        const PredictionStore::ByImage& second,
                                        const MatchRules& rules,
                                        const MatchThresholds& thresholds) {
  std::vector<std::vector<PairedObject>> ofImages(dataset.images().size());
  base::parallelFor(ofImages.size(), 0, [&](std::size_t i) {
    const coco::Image& image = dataset.images()[i];
    const auto one = first.find(image.id), other = second.find(image.id);
    if (one == first.end() || other == second.end()) return;
    const std::array detections{one->second.read(), other->second.read()};
    const auto matched = [&](std::size_t side) {
      return coco::matchImage(image, dataset.annotationsOf(i), *detections.at(side), rules.type,
                              thresholds.score, thresholds.iou, rules.mostDetections());
    };
    const coco::ImageMatch ofFirst = matched(0), ofSecond = matched(1);
    for (std::size_t a = 0; a < ofFirst.detectionOfGt.size(); ++a) {
      if (ofFirst.detectionOfGt[a] < -1) continue;
      const coco::Annotation& object = dataset.annotationsOf(i)[a];
      PairedObject paired{i, static_cast<int>(a),
                          findersOf(ofFirst.detectionOfGt[a], ofSecond.detectionOfGt[a]),
                          object.categoryId, shownAreaPx(object, rules.type)};
      paired.finds = {findOf(ofFirst, *detections[0], a), findOf(ofSecond, *detections[1], a)};
      ofImages[i].push_back(paired);
    }
  });
  std::vector<PairedObject> all;
  for (const std::vector<PairedObject>& objects : ofImages)
    all.insert(all.end(), objects.begin(), objects.end());
  return all;
}

}  // namespace lockstep::widgets
