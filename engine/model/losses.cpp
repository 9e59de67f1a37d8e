#include "engine/model/losses.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lockstep::model {
namespace {

constexpr double kSmoothL1Beta = 1.0 / 9.0;

}  // namespace

at::Tensor Losses::total(const config::LossWeights& weights) const {
  return classifier * weights.classifier + boxReg * weights.boxReg + mask * weights.mask +
         objectness * weights.objectness + rpnBoxReg * weights.rpnBoxReg;
}

std::array<std::pair<std::string_view, at::Tensor>, 5> Losses::named() const {
  return {{{"loss_classifier", classifier},
           {"loss_box_reg", boxReg},
           {"loss_mask", mask},
           {"loss_objectness", objectness},
           {"loss_rpn_box_reg", rpnBoxReg}}};
}

at::Tensor boxRegressionLoss(const at::Tensor& deltas, const at::Tensor& targets,
                             std::int64_t normaliser) {
  return at::smooth_l1_loss(deltas, targets.to(deltas.scalar_type()), at::Reduction::Sum,
                            kSmoothL1Beta) /
         static_cast<double>(std::max<std::int64_t>(normaliser, 1));
}

at::Tensor binaryLoss(const at::Tensor& logits, const at::Tensor& targets) {
  if (logits.numel() == 0) return logits.sum();
  return at::binary_cross_entropy_with_logits(logits, targets.to(logits.scalar_type()));
}

at::Tensor classLoss(const at::Tensor& logits, const at::Tensor& labels) {
  if (logits.size(0) == 0) return logits.sum();
  return at::cross_entropy_loss(logits, labels);
}

}  // namespace lockstep::model
