#include "engine/coco/evaluation/past_limit.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/number_text.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

using base::counted;

std::string apLimitText() {
  return "AP counts only the " + std::to_string(kMaxDetections) +
         " highest-scoring detections per class and image, as COCO's does";
}

std::string PastLimit::text() const {
  std::string past;
  if (objects > 0) {
    past = counted(imagesOfObjects, "image") + (imagesOfObjects == 1 ? " has" : " have") +
           " more objects of a class, " + std::to_string(objects) + " of which cannot be matched";
  }
  if (detections > 0) {
    past += (past.empty() ? "" : "; ") + counted(detections, "detection") + " of " +
            counted(imagesOfDetections, "image") + (detections == 1 ? " is" : " are") + " ignored";
  }
  return past.empty() ? past : apLimitText() + ": " + past;
}

PastLimit objectsPastLimit(const Dataset& groundTruth, std::size_t images) {
  const std::size_t all = groundTruth.images().size();
  PastLimit past;
  for (std::size_t i = 0; i < (images == 0 ? all : std::min(images, all)); ++i) {
    std::unordered_map<CategoryId, std::size_t> objects;
    for (const Annotation& annotation : groundTruth.annotationsOf(i)) {
      if (!annotation.isCrowd) ++objects[annotation.categoryId];
    }
    const std::size_t before = past.objects;
    for (const auto& [category, count] : objects) {
      past.objects += count - std::min(count, kMaxDetections);
    }
    past.imagesOfObjects += past.objects > before ? 1 : 0;
  }
  return past;
}

}  // namespace lockstep::coco
