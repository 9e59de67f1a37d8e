#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/ids.h"
#include "engine/model/losses.h"
#include "engine/protocol/worker_messages.h"

namespace lockstep::train {

/// Collects what every step gave and reads it from the device once for many steps.
class StepRecorder {
 public:
  /// Facts of a step that are on the host anyway.
  struct HostFacts {
    std::int64_t step = 0;
    double wallTime = 0;
    double learningRate = 0;
    double stepSeconds = 0, dataSeconds = 0;
    std::int64_t images = 0;          ///< of all ranks
    std::vector<ImageId> imageIds{};  ///< of this rank
  };
  struct Fault {
    std::int64_t step = 0;
    std::vector<ImageId> imageIds;
    std::vector<std::pair<std::string, float>> figures;  ///< losses and grad_norm
    std::string text;  ///< `step 12: loss_mask=NaN grad_norm=NaN on images 3, 4`
  };
  struct Flushed {
    protocol::ScalarBatch scalars;
    std::optional<Fault> fault;  ///< the first step with figures that are not finite
  };

  /// Adds the losses of one of `parts` accumulated parts and their weighted sum; a step's figures
  /// are the means over its parts. Does not wait for the device.
  void addPart(const model::Losses& losses, const at::Tensor& total, int parts);
  /// Ends the step. gradientNorm [] float64.
  void finishStep(const HostFacts& facts, const at::Tensor& gradientNorm);
  /// 1 when a loss of the parts added since the last finishStep, or the norm, is not finite as
  /// float32, else 0: [] float32 on the device. Does not wait for it.
  at::Tensor isNotFinite(const at::Tensor& gradientNorm) const;
  /// Every finished step since the last call. Waits for the device once.
  Flushed flush();
  bool isEmpty() const { return steps_.empty(); }

 private:
  struct Step {
    HostFacts facts;
    at::Tensor values;  ///< [7] float32: the five losses, their weighted sum, the gradient norm
  };
  at::Tensor parts_;  ///< [6] float32, sum over the parts of the present step
  std::vector<Step> steps_;
};

}  // namespace lockstep::train
