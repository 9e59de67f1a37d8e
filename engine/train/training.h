#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/image_size.h"
#include "engine/base/log.h"
#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"
#include "engine/config/experiment.h"
#include "engine/config/lr_range_test.h"
#include "engine/data/sample_loader.h"
#include "engine/data/sampler.h"
#include "engine/dist/world.h"
#include "engine/eval/evaluator.h"
#include "engine/protocol/worker_messages.h"
#include "engine/run_folder/run_folder.h"
#include "engine/run_folder/training_state.h"
#include "engine/train/mailbox.h"
#include "engine/train/phase.h"

namespace lockstep::train {

/// Predictions on a held-out image, to be drawn.
struct PredictedImage {
  std::filesystem::path file;
  base::ImageSize annotatedSize;
  std::vector<coco::Detection> detections;  ///< by descending score
};

/// What a trainer is given; it must outlive the trainer.
struct TrainerContext {
  dist::World& world;
  Mailbox& mailbox;
  PhaseReport& phase;
  /// Receives every message of the training, on its thread, progress also on others while it
  /// waits, and in order: the scalars of a step come before an evaluation or a checkpoint of it.
  /// Must not change the training.
  std::function<void(const protocol::WorkerMessage&)> send;
  int gpu = 0;                     ///< its index, where runtime.device is one
  int machineRanks = 1;            ///< ranks that share this machine's cores
  double checkpointPatience = 60;  ///< seconds for which writing the last checkpoint is retried
  bool isRangeTest = false;        ///< of the learning rate, instead of a training
  /// Draws monitor.summary_images into a PNG and returns its size; called on rank 0's training
  /// thread. `categories`: of the model. Throws Error. Must not change the training. Empty: none
  /// are drawn.
  std::function<base::ImageSize(const PredictedImage& image,
                                const std::vector<coco::Category>& categories,
                                const std::filesystem::path& png)>
      drawPredictions{};
};

/// The datasets of a training and what draws from them. Reads annotations; throws Error.
struct TrainingData {
  TrainingData(const config::Experiment& experiment, at::Device device, const dist::World& world);

  coco::Dataset trainSet;
  std::optional<coco::Dataset> heldOutSet;  ///< none: dataset.val is not given
  std::unique_ptr<data::SampleLoader> trainLoader, heldOutLoader;
  std::unique_ptr<data::Sampler> sampler;
};

/// State that the parts of a trainer share.
struct Training {
  Training(const config::Experiment& resolved, const run_folder::Layout& runFolder,
           const TrainerContext& given);

  /// Rank 0 alone reads and writes files, and sends messages to the supervisor.
  bool isRankZero() const { return context.world.rank() == 0; }
  void send(const protocol::WorkerMessage& message) const { context.send(message); }
  void sendState(protocol::RunState runState) const;
  void log(base::LogLevel level, std::string text) const;
  void enter(protocol::Phase phase) const { context.phase.phase = phase; }
  /// Counts images of an evaluation or prediction for the heartbeat.
  eval::Progress countImages() const;

  config::Experiment experiment;
  run_folder::Layout layout;
  TrainerContext context;
  at::Device device;
  int loaderThreads;
  TrainingData data;
  run_folder::TrainingState state;             ///< state.json
  std::optional<run_folder::Best> savedBest;   ///< the best evaluation that has its checkpoint
  std::optional<config::RangeTest> rangeTest;  ///< of the learning rate: there are no checkpoints
  bool stopsEarly = false;                     ///< as rank 0 decided
  std::int64_t savedStep = -1;                 ///< of the latest checkpoint
  std::int64_t evaluatedStep = -1;             ///< of the newest evaluation with AP on disk
  std::int64_t lossesStep = -1;                ///< of the newest held-out losses in the event log
};

}  // namespace lockstep::train
