#include "engine/train/prediction_request.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <unordered_set>

#include "engine/base/error.h"

namespace lockstep::train {
namespace {

constexpr std::chrono::milliseconds kProgressInterval{100};

const data::SampleLoader& loaderOf(const PredictionSource& source, protocol::Split split) {
  if (const data::SampleLoader* loader = source.loader(split)) return *loader;
  throw UserError(std::string("predict: the experiment has no dataset.") + base::textOf(split) +
                  (split == protocol::Split::Val ? " (validation); give paths" : ""));
}

eval::FileDetectionOptions fileOptions(const PredictionSource& source) {
  return {.augment = source.experiment.augment,
          .categories = source.loaded.categories,
          .device = source.options.device,
          .threads = source.options.threads,
          .loaderThreads = source.options.loaderThreads};
}

std::string textOf(const data::BadImageInfo& image) { return image.file + ": " + image.reason; }

/// An empty result would look like an image without objects.
void throwIfUnreadable(const std::vector<data::BadImageInfo>& images) {
  if (!images.empty()) throw Error(textOf(images.front()));
}

struct Predicted {
  std::vector<ImageId> ids;
  std::vector<coco::Detection> detections;
  std::vector<std::string> unreadable{};  ///< skipped, whose ids are not among the others
};

Predicted predictImages(const PredictionSource& source, const std::vector<std::int64_t>& ids,
                        const eval::Progress& progress) {
  const eval::Evaluator heldOut(loaderOf(source, protocol::Split::Val), source.options);
  Predicted predicted;
  std::vector<std::size_t> indices;
  for (const std::int64_t id : ids) {
    predicted.ids.push_back({id});
    indices.push_back(heldOut.dataset().imageIndex({id}));
  }
  eval::Detected found = heldOut.detect(*source.loaded.model, indices, progress);
  throwIfUnreadable(found.badImages);
  predicted.detections = std::move(found.detections);
  return predicted;
}

Predicted predictPart(const PredictionSource& source, protocol::Split split,
                      const eval::Progress& progress) {
  eval::EvaluatorOptions options = source.options;
  options.skipsBadImages = true;
  const eval::Evaluator part(loaderOf(source, split), options);
  std::vector<std::size_t> indices(part.dataset().images().size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  eval::Detected found = part.detect(*source.loaded.model, indices, progress);
  if (found.badImages.size() == indices.size()) throwIfUnreadable(found.badImages);
  std::unordered_set<std::int64_t> skipped;
  Predicted predicted{{}, std::move(found.detections)};
  for (const data::BadImageInfo& image : found.badImages) {
    skipped.insert(image.id.value);
    predicted.unreadable.push_back(textOf(image));
  }
  for (const coco::Image& image : part.dataset().images())
    if (!skipped.contains(image.id.value)) predicted.ids.push_back(image.id);
  return predicted;
}

Predicted predictFiles(const PredictionSource& source, const std::vector<std::string>& paths,
                       const eval::Progress& progress) {
  Predicted predicted;
  std::vector<eval::NumberedFile> files;
  for (const std::string& path : paths) {
    predicted.ids.push_back({static_cast<std::int64_t>(predicted.ids.size()) + 1});
    files.push_back({predicted.ids.back(), path});
  }
  eval::Detected found =
      eval::detectFiles(*source.loaded.model, files, fileOptions(source), progress);
  if (found.badImages.size() == files.size()) throwIfUnreadable(found.badImages);
  for (const data::BadImageInfo& image : found.badImages) {
    std::erase(predicted.ids, image.id);
    predicted.unreadable.push_back(textOf(image));
  }
  predicted.detections = std::move(found.detections);
  return predicted;
}

}  // namespace

std::string predict(const PredictionSource& source, const protocol::PredictRequest& request,
                    const eval::Progress& progress) {
  Predicted predicted = request.split           ? predictPart(source, *request.split, progress)
                        : request.paths.empty() ? predictImages(source, request.imageIds, progress)
                                                : predictFiles(source, request.paths, progress);
  const double threshold =
      std::max(request.scoreThreshold, source.experiment.model.boxHead.scoreThreshold);
  std::erase_if(predicted.detections,
                [&](const coco::Detection& d) { return d.score < threshold; });
  return eval::predictionsJson(predicted.ids, threshold, predicted.detections,
                               predicted.unreadable);
}

std::string explain(const PredictionSource& source, const protocol::ExplainRequest& request,
                    const eval::Progress& progress) {
  const config::ModelConfig& settings = source.experiment.model;
  if (!request.imageId) {
    return explanation::toJson(eval::explainFile(*source.loaded.model, {{1}, request.path},
                                                 settings, fileOptions(source), progress));
  }
  const eval::Evaluator part(loaderOf(source, request.split), source.options);
  return explanation::toJson(part.explain(
      *source.loaded.model, part.dataset().imageIndex({*request.imageId}), settings, progress));
}

void throwIfCancelled(const Mailbox& mailbox, const std::string& id) {
  if (mailbox.isCancelled(id)) throw Error("cancelled");
  if (mailbox.hasStop()) throw Error("ended: the run is being stopped");
}

eval::Progress progressOf(const std::string& id, const Mailbox& mailbox,
                          std::function<void(const protocol::WorkerMessage&)> send) {
  using Clock = std::chrono::steady_clock;
  return [id, &mailbox, send = std::move(send), last = std::make_shared<Clock::time_point>()](
             std::int64_t done, std::int64_t total) {
    throwIfCancelled(mailbox, id);
    if (done != total && Clock::now() - *last < kProgressInterval) return;
    *last = Clock::now();
    send(protocol::Progress{done, total, "predicting", id});
  };
}

}  // namespace lockstep::train
