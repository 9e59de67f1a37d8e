#include "engine/train/prediction_request.h"

#include <algorithm>
#include <iterator>

#include "engine/base/error.h"

namespace lockstep::train {
namespace {

/// An empty result would look like an image without objects.
void throwIfUnreadable(const std::vector<data::BadImageInfo>& images) {
  if (!images.empty()) throw Error(images.front().file + ": " + images.front().reason);
}

}  // namespace

std::string predict(const PredictionSource& source, const protocol::PredictRequest& request,
                    const eval::Progress& progress) {
  std::vector<ImageId> ids;
  std::vector<coco::Detection> detections;
  if (!request.imageIds.empty()) {
    if (!source.heldOut)
      throw UserError("predict: image_ids need a held-out dataset (dataset.val); give paths");
    std::vector<std::size_t> indices;
    for (const std::int64_t id : request.imageIds) {
      ids.push_back({id});
      indices.push_back(source.heldOut->dataset().imageIndex({id}));
    }
    eval::Detected found = source.heldOut->detect(*source.loaded.model, indices, progress);
    throwIfUnreadable(found.badImages);
    detections = std::move(found.detections);
  }
  std::vector<eval::NumberedFile> files;
  for (const std::string& path : request.paths) {
    ids.push_back({static_cast<std::int64_t>(ids.size()) + 1});
    files.push_back({ids.back(), path});
  }
  const config::Experiment& experiment = source.experiment;
  eval::Detected ofFiles = eval::detectFiles(*source.loaded.model, files,
                                             {.augment = experiment.augment,
                                              .categories = source.loaded.categories,
                                              .device = source.device,
                                              .threads = experiment.runtime.cpuThreads,
                                              .loaderThreads = source.loaderThreads},
                                             progress);
  throwIfUnreadable(ofFiles.badImages);
  std::ranges::move(ofFiles.detections, std::back_inserter(detections));
  const double threshold =
      std::max(request.scoreThreshold, experiment.model.boxHead.scoreThreshold);
  std::erase_if(detections, [&](const coco::Detection& d) { return d.score < threshold; });
  return eval::predictionsJson(ids, threshold, detections);
}

}  // namespace lockstep::train
