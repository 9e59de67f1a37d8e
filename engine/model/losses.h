#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "engine/config/experiment.h"

namespace lockstep::model {

/// The five losses of Mask R-CNN, scalars float32 on the model's device, still attached to the
/// graph.
struct Losses {
  at::Tensor classifier, boxReg, mask, objectness, rpnBoxReg;

  /// Weighted sum.
  at::Tensor total(const config::LossWeights& weights) const;
  /// Under their names in configurations, results and event logs: `loss_classifier`,
  /// `loss_box_reg`, `loss_mask`, `loss_objectness`, `loss_rpn_box_reg`.
  std::array<std::pair<std::string_view, at::Tensor>, 5> named() const;
};

/// Smooth L1 (beta 1/9) of deltas and targets [K,4], summed and divided by max(normaliser, 1).
at::Tensor boxRegressionLoss(const at::Tensor& deltas, const at::Tensor& targets,
                             std::int64_t normaliser);

/// Mean binary cross entropy of logits with targets in 0 … 1; 0, attached, when there are none.
at::Tensor binaryLoss(const at::Tensor& logits, const at::Tensor& targets);

/// Mean cross entropy of logits [K,C] with labels [K] int64; 0, attached, when there are none.
at::Tensor classLoss(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace lockstep::model
