#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/train/trainer.h"

namespace lockstep::tests {

/// Does what the supervisor does with partial files, and remembers what was announced.
class RecordingObserver : public train::TrainingObserver {
 public:
  explicit RecordingObserver(std::filesystem::path run) : layout(std::move(run)) {}
  void onSteps(const protocol::ScalarBatch& batch) override;
  void onState(const protocol::WorkerState& state) override {
    states.push_back(state.state);
    if (afterState) afterState(state);
  }
  void onEvaluation(const protocol::EvaluationReady& ready) override;
  void onPredictions(const protocol::PredictionsReady& ready) override;
  void onCheckpoint(const protocol::CheckpointReady& ready) override;
  void onDivergence(const protocol::DivergenceReady& ready) override;
  void onBadImage(const protocol::BadImage& image) override { badImages.push_back(image); }
  void onAnswer(const protocol::Answer& answer) override;
  void onLog(const protocol::WorkerLog& log) override {
    logs.push_back(log);
    if (afterLog) afterLog(log);
  }

  /// Of a tag in one of `steps`, -1: it has none.
  float value(std::size_t record, const std::string& tag) const;
  /// How often the tag was told for a step.
  int timesTold(std::int64_t step, const std::string& tag) const;

  run_folder::Layout layout;
  std::function<void()> afterSteps, afterAnswer;
  std::function<void(const protocol::WorkerState&)> afterState;
  std::function<void(const protocol::WorkerLog&)> afterLog;
  std::vector<protocol::StepScalars> steps;
  std::vector<protocol::EvaluationReady> evaluations;
  std::vector<protocol::CheckpointReady> checkpoints;
  std::vector<std::int64_t> predictions, divergences;
  std::vector<protocol::BadImage> badImages;
  std::vector<protocol::Answer> answers;
  std::vector<std::string> states;
  std::vector<protocol::WorkerLog> logs;
};

/// A trainer on a run folder of its own, or on one that is there.
struct Session {
  Session(const config::Experiment& experiment, const std::filesystem::path& folder);
  /// One rank of a world that lives longer.
  Session(const config::Experiment& experiment, const std::filesystem::path& folder,
          dist::World& ranks);

  run_folder::Layout layout;
  train::Mailbox mailbox;
  train::PhaseReport phase;
  RecordingObserver observer;
  std::unique_ptr<dist::World> ownWorld;
  train::Trainer trainer;
};

protocol::Control control(const std::string& name, const std::string& id);

/// Made scenes in `folder`: 4 to learn from, 3 held out.
void writeShapes(const std::filesystem::path& folder);
/// A few seconds of training on them.
config::Experiment smallExperiment(const std::filesystem::path& shapes, int steps);

}  // namespace lockstep::tests
