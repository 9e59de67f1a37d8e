#include "engine/train/prediction_request.h"

#include <algorithm>
#include <iterator>

#include "engine/base/error.h"

namespace lockstep::train {

std::string predict(const PredictionSource& source, const protocol::PredictRequest& request) {
  std::vector<ImageId> ids;
  std::vector<coco::Detection> detections;
  if (!request.imageIds.empty()) {
    if (!source.heldOut)
      throw base::mendable("predict: image_ids need a held-out data set (dataset.val); give paths");
    std::vector<std::size_t> indices;
    for (const std::int64_t id : request.imageIds) {
      ids.push_back({id});
      indices.push_back(source.heldOut->dataset().imageIndex({id}));
    }
    detections = source.heldOut->detect(*source.loaded.model, indices);
  }
  for (const std::string& path : request.paths) {
    ids.push_back({static_cast<std::int64_t>(ids.size()) + 1});
    std::ranges::move(eval::detectFile(*source.loaded.model, path, ids.back(), source.augment,
                                       source.loaded.categories, source.device),
                      std::back_inserter(detections));
  }
  std::erase_if(detections,
                [&](const coco::Detection& d) { return d.score < request.scoreThreshold; });
  return eval::predictionsJson(ids, request.scoreThreshold, detections);
}

}  // namespace lockstep::train
