#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "engine/config/learning_rate_schedule.h"
#include "engine/data/bad_image.h"
#include "engine/data/device_feed.h"
#include "engine/train/step_recorder.h"
#include "engine/train/step_times.h"
#include "engine/train/training.h"
#include "engine/train/training_model.h"

namespace lockstep::train {

/// Error of a rank's image loading; at most one is set.
struct LoadError {
  std::optional<data::BadImage> badImage;  ///< an image of the dataset that cannot be read
  std::exception_ptr other;                ///< machine error
};

/// Runs training steps: loads a batch, forward, backward, averages gradients, updates weights.
/// Every rank makes the same calls.
class StepRunner {
 public:
  StepRunner(Training& training, TrainingModel& model);

  /// (Re)starts loading images at this step.
  void loadFrom(std::int64_t step);
  void begin(std::int64_t step);
  /// Gradients of all micro-batches of the step. False, on all ranks: one of them could not load
  /// an image (takeLoadError()), and the step has to be computed again from other images.
  bool computeGradients();
  LoadError takeLoadError();
  /// Ends the step: on a CPU throws Error as flushScalars() if the step was non-finite.
  void updateWeights();
  /// Sends the scalars of finished steps. Throws Error when a loss or gradient is not finite, with
  /// what is needed to replay the step left in the run folder; a range test has diverged then.
  void flushScalars();
  /// Stops loading, before the sampler changes.
  void stopLoading() { feed_.reset(); }
  double secondsSinceFlush() const;

 private:
  using Clock = std::chrono::steady_clock;

  /// The next micro-batch; none, on all ranks: one of them could not load it.
  std::optional<data::Batch> nextBatch();
  /// Forward and backward of one micro-batch.
  void accumulateGradients(const data::Batch& batch);
  /// Copies of what a forward pass in training changes beside its losses, so that a step can be
  /// undone: running statistics of norms.
  std::vector<at::Tensor> copyOfStatistics() const;
  /// Adds the steps to the range test, and its smoothed loss to their scalars.
  void addToRangeTest(StepRecorder::Flushed& flushed);
  void warnOfCudaGraphs();

  Training& training_;
  TrainingModel& model_;
  config::LearningRateSchedule schedule_;
  StepRecorder recorder_;
  std::unique_ptr<dist::GradientAverage> gradients_;
  std::unique_ptr<data::DeviceFeed> feed_;  ///< its threads use loader and sampler
  LoadError loadError_;
  StepRecorder::HostFacts facts_;  ///< of the current step
  Clock::time_point begun_{};      ///< that step
  Clock::time_point flushed_{};
  bool isWarnedOfCudaGraphs_ = false;
};

}  // namespace lockstep::train
