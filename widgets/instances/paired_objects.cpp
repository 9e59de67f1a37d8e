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
    const auto matched = [&](const ImageDetections& detections) {
      return coco::matchImage(image, dataset.annotationsOf(i), *detections.read(), rules.type,
                              thresholds.score, thresholds.iou, rules.mostDetections())
          .detectionOfGt;
    };
    const std::vector<int> ofFirst = matched(one->second), ofSecond = matched(other->second);
    for (std::size_t a = 0; a < ofFirst.size(); ++a) {
      if (ofFirst[a] < -1) continue;
      const coco::Annotation& object = dataset.annotationsOf(i)[a];
      ofImages[i].push_back({i, static_cast<int>(a), findersOf(ofFirst[a], ofSecond[a]),
                             object.categoryId, shownAreaPx(object, rules.type)});
    }
  });
  std::vector<PairedObject> all;
  for (const std::vector<PairedObject>& objects : ofImages)
    all.insert(all.end(), objects.begin(), objects.end());
  return all;
}

}  // namespace lockstep::widgets
