#include "tests/train/small_training.h"

#include <algorithm>
#include <array>
#include <iostream>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/scenes/made_scenes.h"

namespace lockstep::tests {
namespace fs = std::filesystem;
namespace {

/// As the supervisor does: what is in the place goes.
void moveIntoPlace(const fs::path& partial, const fs::path& place) {
  fs::remove_all(place);
  fs::rename(partial, place);
}

run_folder::Layout makeFolder(const fs::path& folder) {
  return fs::exists(folder) ? run_folder::Layout(folder) : run_folder::createRunFolderAt(folder);
}

}  // namespace

void MessageRecorder::take(const protocol::WorkerMessage& message) {
  std::visit([this](const auto& held) { note(held); }, message);
}

void MessageRecorder::note(const protocol::ScalarBatch& batch) {
  steps.insert(steps.end(), batch.records.begin(), batch.records.end());
  if (afterSteps) afterSteps();
}

void MessageRecorder::note(const protocol::State& state) {
  states.push_back(state.state.text());
  if (afterState) afterState(state);
}

void MessageRecorder::note(const protocol::Log& log) {
  logs.push_back(log);
  if (afterLog) afterLog(log);
}

void MessageRecorder::note(const protocol::EvaluationReady& ready) {
  moveIntoPlace(ready.partial, layout.evaluation(ready.step));
  evaluations.push_back(ready);
}

void MessageRecorder::note(const protocol::PredictionsReady& ready) {
  moveIntoPlace(ready.partial, layout.predictions(ready.step));
  predictions.push_back(ready.step);
}

void MessageRecorder::note(const protocol::PicturesReady& ready) {
  for (const protocol::PredictionPicture& picture : ready.pictures) {
    if (!fs::exists(fs::path(ready.partial) / picture.file))
      throw Error(picture.file + " is missing");
  }
  fs::remove_all(ready.partial);
  pictures.push_back(ready);
}

void MessageRecorder::note(const protocol::CheckpointReady& ready) {
  checkpoints.push_back(ready);
  if (!ready.error.empty()) std::cerr << "checkpoint: " << ready.error << '\n';  // a full disk, say
  if (ready.error.empty()) moveIntoPlace(ready.partial, layout.checkpoint(ready.step));
}

void MessageRecorder::note(const protocol::DivergenceReady& ready) {
  divergences.push_back(ready.step);
  fs::rename(ready.partial, layout.divergence(ready.step));
}

void MessageRecorder::note(const protocol::BadImage& image) { badImages.push_back(image); }

void MessageRecorder::note(const protocol::Answer& answer) {
  answers.push_back(answer);
  if (afterAnswer) afterAnswer();
}

float MessageRecorder::value(std::size_t record, const std::string& tag) const {
  for (const auto& [name, number] : steps.at(record).values) {
    if (name == tag) return number;
  }
  return -1;
}

std::map<std::string, float> MessageRecorder::valuesOf(std::int64_t step) const {
  std::map<std::string, float> values;
  for (const protocol::Scalars& told : steps)
    if (told.step == step) values.insert(told.values.begin(), told.values.end());
  return values;
}

int MessageRecorder::timesTold(std::int64_t step, const std::string& tag) const {
  int times = 0;
  for (const protocol::Scalars& told : steps) {
    if (told.step != step) continue;
    times += static_cast<int>(
        std::ranges::count_if(told.values, [&](const auto& value) { return value.first == tag; }));
  }
  return times;
}

Session::Session(const config::Experiment& experiment, const fs::path& folder, bool isRangeTest)
    : layout(makeFolder(folder)),
      observer(folder),
      ownWorld(dist::makeSingleRankWorld()),
      trainer(experiment, layout, contextIn(*ownWorld, isRangeTest)) {}

Session::Session(const config::Experiment& experiment, const fs::path& folder, dist::World& ranks,
                 bool isRangeTest)
    : layout(makeFolder(folder)),
      observer(folder),
      trainer(experiment, layout, contextIn(ranks, isRangeTest)) {}

train::TrainerContext Session::contextIn(dist::World& ranks, bool isRangeTest) {
  return {.world = ranks,
          .mailbox = mailbox,
          .phase = phase,
          .send = [this](const protocol::WorkerMessage& message) { observer.take(message); },
          .checkpointPatience = 0,  // a full disk stays full
          .isRangeTest = isRangeTest,
          .drawPredictions = [this](const train::PredictedImage& image,
                                    const std::vector<coco::Category>&,
                                    const fs::path& png) { return draw(image, png); }};
}

base::ImageSize Session::draw(const train::PredictedImage& image, const fs::path& png) {
  if (beforeDrawing) beforeDrawing();
  base::writeFileAtomically(png, "a picture");
  drawn.push_back(image);
  return image.annotatedSize;
}

protocol::Control control(const std::string& name, const std::string& id) {
  static const std::map<std::string, protocol::Action> actions{
      {"pause", protocol::Pause()},       {"resume", protocol::Resume()},
      {"stop", protocol::Stop()},         {"checkpoint", protocol::SaveCheckpoint()},
      {"evaluate", protocol::Evaluate()}, {"predict", protocol::Predict()}};
  return {id, actions.at(name)};
}

void writeShapes(const fs::path& folder) { scenes::writeMadeScenes({folder, 4, 3, 5}); }

void removeRuns(const fs::path& folder) {
  std::vector<fs::path> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() != "shapes") runs.push_back(entry.path());
  }
  for (const fs::path& run : runs) fs::remove_all(run);
}

bool isTensorStatistic(const std::string& tag) {
  return std::ranges::any_of(
      std::array{"weight_norm/", "weight_mean/", "grad_norm/", "grad_mean/", "update_ratio/"},
      [&](const char* prefix) { return tag.starts_with(prefix); });
}

config::Experiment smallExperiment(const fs::path& shapes, int steps) {
  config::Experiment experiment;
  const fs::path annotations = shapes / "annotations";
  experiment.dataset.train = {shapes / "train", annotations / "instances_train.json"};
  experiment.dataset.val = {shapes / "val", annotations / "instances_val.json"};
  experiment.augment.minSize = {64};
  experiment.augment.maxSize = 96;
  experiment.model.backbone = "resnet18";
  experiment.model.fpnChannels = 32;
  experiment.model.rpn.preNmsTopNTrain = experiment.model.rpn.preNmsTopNTest = 200;
  experiment.model.rpn.postNmsTopNTrain = experiment.model.rpn.postNmsTopNTest = 100;
  experiment.model.boxHead.batchSizePerImage = 32;
  experiment.model.boxHead.fcDim = 64;
  experiment.model.maskHead.convs = 1;
  experiment.model.maskHead.channels = 32;
  experiment.solver.baseLr = 0.02;
  experiment.solver.batchSize = 2;
  experiment.solver.schedule = config::Schedule::Constant;
  experiment.solver.warmupSteps = {5};
  experiment.solver.clipGradNorm = 10;
  experiment.solver.maxSteps = {double(steps)};
  experiment.runtime.cpuThreads = 2;
  experiment.runtime.device = config::Device::Cpu;
  return experiment;
}

}  // namespace lockstep::tests
