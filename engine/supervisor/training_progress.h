#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/protocol/worker_messages.h"

namespace lockstep::supervisor {

/// Training progress and speed as text.
class TrainingProgress {
 public:
  TrainingProgress(std::int64_t maxSteps, std::int64_t logEvery)
      : maxSteps_(maxSteps), logEvery_(logEvery) {}

  /// Takes a step's scalars; records of evaluations are left aside.
  void add(const protocol::Scalars& scalars);

  /// `step=120 max_steps=400 loss_total=0.53 lr=0.02 images_per_second=4.1 eta_seconds=70` and the
  /// losses that the total consists of (` loss_mask=0.2 …`), when the last step ended a log
  /// interval or the run.
  std::optional<std::string> dueLine() const;
  /// The same for a terminal: `step 120/400  loss 0.53  lr 0.02  4.1 images/s  1:10 left`.
  std::string statusText() const;

  std::int64_t step() const { return step_; }
  double imagesPerSecond() const;
  /// Negative: not known yet.
  double etaSeconds() const;

 private:
  bool hasStep_ = false;
  std::int64_t maxSteps_, logEvery_;
  std::int64_t step_ = 0;
  double lossTotal_ = 0, learningRate_ = 0;
  std::string headLosses_;
  /// Means over about the last 20 steps, of all of the step's time.
  double stepSeconds_ = 0, images_ = 0;
};

/// `evaluation step=200 loss_total=0.61 segm/AP=0.41 bbox/AP=0.43` and the losses that the total
/// consists of, from the scalars of an evaluation; empty for other scalars.
std::string evaluationLine(const protocol::Scalars& scalars);

/// `1:10`, `2:03:04`, `3 d 4 h`
std::string durationText(double seconds);

}  // namespace lockstep::supervisor
