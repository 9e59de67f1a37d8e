#include "app/models/predictions_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/run_folder/run_experiment.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {
namespace {

struct LoadedDataset {
  HeldOutData data;
  QString error;  ///< why it cannot be loaded; empty without a dataset: the run has none
};

/// Empty without dataset.val. Throws Error.
LoadedDataset loadHeldOut(const std::string& runFolder) {
  const run_folder::Layout layout{runFolder};
  const config::Experiment experiment = run_folder::readRunExperiment(layout);
  const config::DatasetSplit& val = experiment.dataset.val;
  if (val.annotations.empty()) return {};
  auto dataset = std::make_shared<const coco::Dataset>(coco::Dataset::load(val.annotations));
  const bool isOfMasks = experiment.model.masks && !dataset->hasOnlyBoxes();
  return {{std::move(dataset), QString::fromStdString(val.images),
           config::apParams(experiment.evaluation).mostDetections(),
           isOfMasks ? coco::IouType::Mask : coco::IouType::Box},
          {}};
}

PredictionsOutcome readPredictions(const std::string& file, qint64 step) {
  try {
    return {parseStepPredictions(base::readFile(file), file, step), {}};
  } catch (const std::exception& error) {
    return {std::nullopt, QString::fromUtf8(error.what())};
  }
}

}  // namespace

StepPredictions parseStepPredictions(const std::string& text, const std::string& name,
                                     qint64 step) {
  StepPredictions result;
  result.step = step;
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error(name + ": not JSON (the file is truncated or damaged)");
  if (json.is_array()) {
    result.detections = coco::parseDetections(text, name);
  } else {
    if (!json.is_object() || !json.contains("detections") || !json["detections"].is_array())
      throw Error(name + ": has no list \"detections\"");
    result.detections = coco::parseDetections(json["detections"].dump(), name);
    if (json.contains("image_ids"))
      for (const auto& id : json["image_ids"])
        if (id.is_number_integer()) result.imageIds.push_back(ImageId{id.get<std::int64_t>()});
  }
  for (const coco::Detection& detection : result.detections)
    if (std::find(result.imageIds.begin(), result.imageIds.end(), detection.imageId) ==
        result.imageIds.end())
      result.imageIds.push_back(detection.imageId);
  return result;
}

PredictionsStore::PredictionsStore(QObject* parent) : QObject(parent) {}
PredictionsStore::~PredictionsStore() = default;

void PredictionsStore::setRun(const QString& runFolder) {
  runFolder_ = runFolder;
  requested_.clear();
  pendingReads_.clear();
  const int generation = ++generation_;
  if (runFolder.isEmpty()) return;
  ++running_;
  auto load = [folder = runFolder.toStdString()]() -> LoadedDataset {
    try {
      return loadHeldOut(folder);
    } catch (const std::exception& error) {
      return {{}, QString::fromUtf8(error.what())};
    }
  };
  jobs::start(this, jobs::Kind::Disk, load, [this, generation](const LoadedDataset& loaded) {
    if (generation == generation_) {
      if (loaded.data.dataset) {
        Q_EMIT datasetLoaded(loaded.data);
      } else if (loaded.error.isEmpty()) {
        Q_EMIT datasetMissing();
      } else {
        Q_EMIT datasetFailed(loaded.error);
      }
    }
    finishOne();
  });
}

void PredictionsStore::read(qint64 step, const std::string& file,
                            std::function<void(PredictionsOutcome&&)> deliver) {
  const int number = ++lastRead_;
  pendingReads_[number] = step;
  ++running_;
  jobs::start(
      this, jobs::Kind::Disk, [file, step] { return readPredictions(file, step); },
      [this, number, deliver = std::move(deliver)](PredictionsOutcome outcome) {
        if (pendingReads_.erase(number) > 0) deliver(std::move(outcome));
        finishOne();
      });
}

void PredictionsStore::readSteps(const std::vector<std::int64_t>& steps) {
  for (const std::int64_t step : steps) {
    if (std::find(requested_.begin(), requested_.end(), step) != requested_.end()) continue;
    requested_.push_back(step);
    const run_folder::Layout layout(runFolder_.toStdString());
    read(step, layout.predictions(step).string(), [this, step](PredictionsOutcome&& outcome) {
      if (!outcome.value) return Q_EMIT predictionsFailed(step, outcome.error);
      Q_EMIT predictionsLoaded(*outcome.value);
    });
  }
}

void PredictionsStore::readAnswer(qint64 step, const QString& file, ImageId image) {
  read(step, file.toStdString(), [this, step, image](PredictionsOutcome&& outcome) {
    if (!outcome.value) return Q_EMIT answerFailed(image, step, outcome.error);
    auto& imageIds = outcome.value->imageIds;
    if (std::find(imageIds.begin(), imageIds.end(), image) == imageIds.end())
      imageIds.push_back(image);
    Q_EMIT answerLoaded(*outcome.value);
  });
}

void PredictionsStore::forgetAfter(qint64 step) {
  std::erase_if(requested_, [step](std::int64_t other) { return other > step; });
  std::erase_if(pendingReads_, [step](const auto& reading) { return reading.second > step; });
}

void PredictionsStore::finishOne() {
  --running_;
  if (running_ == 0) Q_EMIT idle();
}

}  // namespace lockstep::app
