#include "app/models/predictions_store.h"

#include <QtConcurrentRun>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/models/background.h"
#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::app {
namespace {

template <typename Value>
struct Outcome {
  std::optional<Value> value;
  QString error;
};

struct LoadedDataset {
  std::shared_ptr<const coco::Dataset> dataset;
  QString imagesFolder;
};

template <typename Value>
Outcome<Value> attempt(const std::function<Value()>& work) {
  try {
    return {work(), {}};
  } catch (const std::exception& error) {
    return {std::nullopt, QString::fromUtf8(error.what())};
  }
}

LoadedDataset loadHeldOut(const std::string& runFolder) {
  const run_folder::Layout layout{runFolder};
  const config::DatasetPart part = run_folder::readRunExperiment(layout).dataset.val;
  if (part.annotations.empty())
    throw Error(layout.config().string() +
                ": dataset.val.annotations is not given: no held-out images to show");
  return {std::make_shared<const coco::Dataset>(coco::Dataset::load(part.annotations)),
          QString::fromStdString(part.images)};
}

}  // namespace

StepPredictions parseStepPredictions(const std::string& text, const std::string& name,
                                     qint64 step) {
  StepPredictions result;
  result.step = step;
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error(name + ": not JSON (the file is cut off or damaged)");
  if (json.is_array()) {
    result.detections = coco::parseDetections(text, name);
  } else {
    if (!json.is_object() || !json.contains("detections") || !json["detections"].is_array())
      throw Error(name + ": has no list \"detections\"");
    result.detections = coco::parseDetections(json["detections"].dump(), name);
    if (json.contains("image_ids"))
      for (const auto& id : json["image_ids"])
        if (id.is_number_integer()) result.watched.push_back(ImageId{id.get<std::int64_t>()});
  }
  for (const coco::Detection& detection : result.detections)
    if (std::find(result.watched.begin(), result.watched.end(), detection.imageId) ==
        result.watched.end())
      result.watched.push_back(detection.imageId);
  return result;
}

static Outcome<StepPredictions> readPredictions(const std::string& file, qint64 step) {
  return attempt<StepPredictions>(
      [&] { return parseStepPredictions(base::readFile(file), file, step); });
}

PredictionsStore::PredictionsStore(QObject* parent) : QObject(parent) {}
PredictionsStore::~PredictionsStore() = default;

void PredictionsStore::setRun(const QString& runFolder) {
  runFolder_ = runFolder;
  requested_.clear();
  const int generation = ++generation_;
  if (runFolder.isEmpty()) return;
  ++running_;
  const std::string folder = runFolder.toStdString();
  auto load = [folder] { return attempt<LoadedDataset>([&] { return loadHeldOut(folder); }); };
  runInBackground(this, load, [this, generation](const Outcome<LoadedDataset>& outcome) {
    if (generation == generation_) {
      if (outcome.value) {
        Q_EMIT datasetLoaded(outcome.value->dataset, outcome.value->imagesFolder);
      } else {
        Q_EMIT datasetFailed(outcome.error);
      }
    }
    finishOne();
  });
}

void PredictionsStore::readSteps(const std::vector<std::int64_t>& steps) {
  const int generation = generation_;
  for (const std::int64_t step : steps) {
    if (std::find(requested_.begin(), requested_.end(), step) != requested_.end()) continue;
    requested_.push_back(step);
    ++running_;
    const std::string file =
        run_folder::Layout(runFolder_.toStdString()).predictions(step).string();
    auto read = [file, step] { return readPredictions(file, step); };
    runInBackground(this, read, [this, generation, step](const Outcome<StepPredictions>& outcome) {
      if (generation == generation_) {
        if (outcome.value) {
          Q_EMIT predictionsLoaded(*outcome.value);
        } else {
          Q_EMIT predictionsFailed(step, outcome.error);
        }
      }
      finishOne();
    });
  }
}

void PredictionsStore::readAnswer(qint64 step, const QString& file, ImageId image) {
  const int generation = generation_;
  ++running_;
  const std::string path = file.toStdString();
  auto read = [path, step] { return readPredictions(path, step); };
  runInBackground(this, read, [this, generation, step, image](Outcome<StepPredictions> outcome) {
    if (generation == generation_) {
      if (!outcome.value) {
        Q_EMIT predictionsFailed(step, outcome.error);
      } else {
        auto& watched = outcome.value->watched;
        if (std::find(watched.begin(), watched.end(), image) == watched.end())
          watched.push_back(image);
        Q_EMIT predictionsLoaded(*outcome.value);
      }
    }
    finishOne();
  });
}

void PredictionsStore::forgetAfter(qint64 step) {
  requested_.erase(std::remove_if(requested_.begin(), requested_.end(),
                                  [&](std::int64_t other) { return other > step; }),
                   requested_.end());
}

void PredictionsStore::finishOne() {
  --running_;
  if (running_ == 0) Q_EMIT idle();
}

}  // namespace lockstep::app
