#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/model/losses.h"
#include "engine/protocol/worker_messages.h"
#include "engine/solver/weight_update.h"

namespace lockstep::train {

/// Collects what every step gave and reads it from the device once for many steps.
///
/// Figures of a step are one tensor, which several ranks average with their gradients: the
/// losses and their weighted sum, then for every rank of several how long it took the step before
/// (other ranks leave zeros there; so do all at the first step).
class StepRecorder {
 public:
  explicit StepRecorder(int rank = 0, int ranks = 1) : rank_(rank), ranks_(ranks) {}

  /// Facts of a step that are on the host anyway, of this rank unless said otherwise.
  struct HostFacts {
    std::int64_t step = 0;
    double wallTime = 0;
    double learningRate = 0;
    double stepSeconds = 0;
    double dataSeconds = 0;   ///< waiting for images
    double waitSeconds = 0;   ///< waiting for other ranks
    std::int64_t images = 0;  ///< of all ranks
    std::vector<ImageId> imageIds{};
  };
  struct Fault {
    std::int64_t step = 0;
    std::vector<ImageId> imageIds;                       ///< of this rank
    std::vector<std::pair<std::string, float>> figures;  ///< losses and grad_norm
    std::string what;                                    ///< `loss_mask=NaN grad_norm=NaN`
  };
  struct Flushed {
    protocol::ScalarBatch scalars;
    std::optional<Fault> fault;  ///< the first step that diverged
  };

  std::int64_t figureCount() const;
  /// What one of `parts` accumulated parts adds to the figures of its step: [figureCount()]
  /// float32. Does not wait for the device.
  at::Tensor figuresOf(const model::Losses& losses, const at::Tensor& total, int parts,
                       bool isLastPart) const;
  /// 1 when a loss is not finite, else 0: [] float32 on the device. Does not wait for it.
  static at::Tensor lossesNotFinite(const at::Tensor& figures);
  /// Ends a step whose figures are the means over the ranks.
  void finishStep(const HostFacts& facts, const at::Tensor& figures,
                  const solver::WeightUpdate::Figures& update);
  /// Every finished step since the last call. Waits for the device once. The times of single ranks
  /// are means over these steps, told with the last.
  Flushed flush();
  bool isEmpty() const { return steps_.empty(); }

 private:
  using Clock = std::chrono::steady_clock;

  struct Step {
    HostFacts facts;
    /// [figureCount() + 2 or 3] float32: the figures, the gradient norm, whether it diverged, and
    /// the loss scale where there is one
    at::Tensor values;
    bool tellsOfStepBefore = false;
  };
  /// On a device that the host runs ahead of a step takes what its share of all of them is.
  void shareSeconds();
  void addRankTimes(const at::Tensor& values, protocol::Scalars& record) const;

  int rank_, ranks_;
  std::optional<HostFacts> last_;
  std::vector<Step> steps_;
  Clock::time_point begun_;  ///< the first of them
};

}  // namespace lockstep::train
