#include "engine/coco/evaluation/past_limit.h"

#include <algorithm>
#include <unordered_map>

#include "engine/base/number_text.h"
#include "engine/base/shortened_text.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

using base::counted;

std::string apLimitText(std::size_t limit, std::string_view setting) {
  return "AP counts only the " + std::to_string(limit) +
         " highest-scoring detections per class and image (" + std::string(setting) + ")" +
         (limit == kCocoMaxDetections ? ", as COCO's does" : "");
}

std::string PastLimit::text(std::string_view setting) const {
  std::string past;
  if (objects > 0) {
    past = counted(imagesOfObjects, "image") + (imagesOfObjects == 1 ? " has" : " have") +
           " more objects of a class, " + std::to_string(objects) + " of which cannot be matched";
  }
  if (detections > 0) {
    past += (past.empty() ? "" : "; ") + counted(detections, "detection") + " of " +
            counted(imagesOfDetections, "image") + (detections == 1 ? " is" : " are") + " ignored";
  }
  return past.empty() ? past : apLimitText(limit, setting) + ": " + past;
}

PastLimit objectsPastLimit(const Dataset& groundTruth, std::size_t limit, std::size_t images) {
  const std::size_t all = groundTruth.images().size();
  PastLimit past;
  past.limit = limit;
  for (std::size_t i = 0; i < (images == 0 ? all : std::min(images, all)); ++i) {
    std::unordered_map<CategoryId, std::size_t> objects;
    for (const Annotation& annotation : groundTruth.annotationsOf(i)) {
      if (!annotation.isCrowd) ++objects[annotation.categoryId];
    }
    const std::size_t before = past.objects;
    for (const auto& [category, count] : objects) {
      past.objects += count - std::min(count, limit);
    }
    past.imagesOfObjects += past.objects > before ? 1 : 0;
  }
  return past;
}

std::string detectionLimitText(const Dataset& groundTruth, std::size_t detectionsPerImage,
                               std::size_t images) {
  const std::size_t all = groundTruth.images().size();
  std::size_t most = 0, imagesOver = 0;
  std::string mostCrowded;
  for (std::size_t i = 0; i < (images == 0 ? all : std::min(images, all)); ++i) {
    const auto objects = static_cast<std::size_t>(
        std::ranges::count(groundTruth.annotationsOf(i), false, &Annotation::isCrowd));
    imagesOver += objects > detectionsPerImage ? 1 : 0;
    if (objects <= most) continue;
    most = objects;
    mostCrowded = groundTruth.images()[i].fileName;
  }
  if (imagesOver == 0) return {};
  return std::to_string(detectionsPerImage) + " is below the objects of " +
         counted(imagesOver, "image") +
         ", which are never all detected: " + base::printable(mostCrowded) + " has " +
         std::to_string(most);
}

}  // namespace lockstep::coco
