#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/model/losses.h"
#include "engine/protocol/worker_messages.h"
#include "engine/solver/weight_update.h"
#include "engine/train/step_times.h"
#include "engine/train/tensor_statistics.h"

namespace lockstep::train {

/// Collects the scalars of each step on the device and reads them once for many steps.
///
/// The figures of a step are one tensor, which the ranks average with their gradients: the losses
/// and their weighted sum, then the model::DetectorCounts; with several ranks also the times of the
/// step before, one group per rank (each rank fills its own and leaves zeros in the others'; all
/// are zeros at the first step). Forward, backward and optimizer among them are those of the newest
/// step that a GPU has finished, and zeros until there is one.
class StepRecorder {
 public:
  /// Without `statistics` no sums of gradients and weights are read.
  explicit StepRecorder(int rank = 0, int ranks = 1,
                        std::optional<TensorStatistics> statistics = std::nullopt)
      : rank_(rank), ranks_(ranks), statistics_(std::move(statistics)) {}

  /// Host-side values of a step, known without reading the device; of this rank unless noted.
  struct HostFacts {
    std::int64_t step = 0;
    double wallTime = 0;
    double learningRate = 0;
    double stepSeconds = 0;
    double dataSeconds = 0;              ///< waiting for images
    double waitSeconds = 0;              ///< waiting for other ranks
    double gradientWaitSeconds = 0;      ///< of it, in the backward pass
    std::shared_ptr<StepTimes> times{};  ///< nullptr: not measured
    std::int64_t images = 0;             ///< of all ranks
    std::vector<ImageId> imageIds{};

    /// Of complete times; the backward pass without its waiting.
    PartSeconds partSeconds() const;
  };
  /// A step with a loss or gradient that is not finite.
  struct NonFiniteStep {
    std::int64_t step = 0;
    std::vector<ImageId> imageIds;                       ///< of this rank
    std::vector<std::pair<std::string, float>> figures;  ///< losses and grad_norm
    std::string what;                                    ///< `loss_mask=NaN grad_norm=NaN`
  };
  struct Flushed {
    protocol::ScalarBatch scalars;
    std::optional<NonFiniteStep> nonFinite;  ///< the first non-finite step
  };

  const std::optional<TensorStatistics>& statistics() const { return statistics_; }
  std::int64_t figureCount() const;
  /// What one of `microBatches` accumulated micro-batches adds to the figures of its step:
  /// [figureCount()] float32. Does not synchronise with the device.
  at::Tensor figuresOf(const model::Losses& losses, const at::Tensor& total, int microBatches,
                       bool isLast) const;
  /// 1 if a loss is not finite, else 0: [] float32 on the device. Does not synchronise with it.
  static at::Tensor lossesNotFinite(const at::Tensor& figures);
  /// Ends a step whose figures are the means over the ranks.
  void finishStep(const HostFacts& facts, const at::Tensor& figures,
                  const solver::WeightUpdate::Figures& update);
  /// Every finished step since the last call. Synchronises with the device, whatever the
  /// number of steps, twice, and once for each that has statistics of weights. Times of single
  /// ranks are means over these steps, in the record of the last.
  Flushed flush();
  bool isEmpty() const { return steps_.empty(); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Step {
    HostFacts facts;
    /// [figureCount() + 2 or 3] float32: the figures, the gradient norm, whether it is non-finite,
    /// and the loss scale where there is one
    at::Tensor values;
    bool hasTimesOfStepBefore = false;
    at::Tensor gradientSums, weightSums;  ///< as in solver::WeightUpdate::Figures
  };
  /// Appends the record of a step, read to the host.
  void addStep(const Step& step, const at::Tensor& values, const at::Tensor& gradientSums,
               Flushed& flushed) const;
  void addStatistics(const Step& step, const at::Tensor& gradientSums, Flushed& flushed) const;
  /// If the host runs ahead of the device, step times are averaged.
  void spreadStepSeconds();
  /// Of the newest step that the device has finished; zeros: of none.
  PartSeconds newestPartSeconds() const;
  void addRankTimes(const at::Tensor& values, protocol::Scalars& record) const;

  int rank_, ranks_;
  std::optional<TensorStatistics> statistics_;
  std::vector<Step> steps_;
  Clock::time_point begun_;  ///< the first of steps_
  /// The last steps, oldest first: a GPU may not have come to the end of the newest.
  std::deque<HostFacts> recent_;
};

}  // namespace lockstep::train
