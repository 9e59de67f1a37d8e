#pragma once

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/train/trainer.h"

namespace lockstep::tests {

/// Does what the supervisor does with partial files, and remembers what was told.
class MessageRecorder {
 public:
  explicit MessageRecorder(std::filesystem::path run) : layout(std::move(run)) {}
  void take(const protocol::WorkerMessage& message);

  /// Of a tag in one of `steps`, -1: it has none.
  float value(std::size_t record, const std::string& tag) const;
  /// All values of a step.
  std::map<std::string, float> valuesOf(std::int64_t step) const;
  /// How often the tag was told for a step.
  int timesTold(std::int64_t step, const std::string& tag) const;

  run_folder::Layout layout;
  std::function<void()> afterSteps, afterAnswer;
  std::function<void(const protocol::State&)> afterState;
  std::function<void(const protocol::Log&)> afterLog;
  std::vector<protocol::Scalars> steps;
  std::vector<protocol::EvaluationReady> evaluations;
  std::vector<protocol::CheckpointReady> checkpoints;
  std::vector<protocol::PicturesReady> pictures;
  std::vector<std::int64_t> predictions, divergences;
  std::vector<protocol::BadImage> badImages;
  std::vector<protocol::Answer> answers;
  std::vector<std::string> states;
  std::vector<protocol::Log> logs;

 private:
  void note(const protocol::ScalarBatch& batch);
  void note(const protocol::State& state);
  void note(const protocol::Log& log);
  void note(const protocol::EvaluationReady& ready);
  void note(const protocol::PredictionsReady& ready);
  void note(const protocol::PicturesReady& ready);
  void note(const protocol::CheckpointReady& ready);
  void note(const protocol::DivergenceReady& ready);
  void note(const protocol::BadImage& image);
  void note(const protocol::Answer& answer);
  void note(const auto&) {}
};

/// A trainer on a run folder of its own, or on one that is there.
struct Session {
  Session(const config::Experiment& experiment, const std::filesystem::path& folder,
          bool isRangeTest = false);
  /// One rank of a world that lives longer.
  Session(const config::Experiment& experiment, const std::filesystem::path& folder,
          dist::World& ranks, bool isRangeTest = false);
  train::TrainerContext contextIn(dist::World& ranks, bool isRangeTest);
  /// Draws nothing: a file of a few bytes, the size of the image.
  base::ImageSize draw(const train::PredictedImage& image, const std::filesystem::path& png);

  run_folder::Layout layout;
  train::Mailbox mailbox;
  train::PhaseReport phase;
  MessageRecorder observer;
  std::vector<train::PredictedImage> drawn;
  std::function<void()> beforeDrawing;  ///< may throw
  std::unique_ptr<dist::World> ownWorld;
  train::Trainer trainer;
};

/// pause | resume | stop | checkpoint | evaluate | predict
protocol::Control control(const std::string& name, const std::string& id);

/// Made scenes in `folder`: 4 to learn from, 3 held out.
void writeShapes(const std::filesystem::path& folder);
/// Removes everything in `folder` but "shapes": what a test's runs left is hundreds of MB, and
/// after a few dozen tests a disk.
void removeRuns(const std::filesystem::path& folder);
/// A few seconds of training on them.
config::Experiment smallExperiment(const std::filesystem::path& shapes, int steps);

/// Whether the tag is of a statistic of a parameter or part: not of times and machines.
bool isTensorStatistic(const std::string& tag);

/// |value - reference| / |reference|
inline double relativeDifference(double value, double reference) {
  return std::abs(value - reference) / std::max(std::abs(reference), 1e-9);
}

}  // namespace lockstep::tests
