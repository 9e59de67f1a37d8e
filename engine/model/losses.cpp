#include "engine/model/losses.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace lockstep::model {
namespace {

constexpr double kSmoothL1Beta = 1.0 / 9.0;

}  // namespace

at::Tensor upcast(const at::Tensor& values) {
  return values.scalar_type() == at::kDouble ? values : values.to(at::kFloat);
}

void Losses::take(const Losses& others) {
  const auto merge = [](auto& own, const auto& of) {
    for (std::size_t i = 0; i < own.size(); ++i)
      if (of[i].defined()) own[i] = of[i];
  };
  merge(values, others.values);
  merge(counts.values, others.counts.values);
}

at::Tensor Losses::total(const config::LossWeights& weights) const {
  at::Tensor sum = values[0] * weights.values[0];
  for (std::size_t i = 1; i < values.size(); ++i) sum = sum + values[i] * weights.values[i];
  return sum;
}

std::array<std::pair<std::string_view, at::Tensor>, config::kLossCount> Losses::named() const {
  std::array<std::pair<std::string_view, at::Tensor>, config::kLossCount> named;
  for (std::size_t i = 0; i < values.size(); ++i) named[i] = {config::kLosses[i].name, values[i]};
  return named;
}

namespace {

/// [K,4]
at::Tensor smoothL1(const at::Tensor& deltas, const at::Tensor& targets) {
  const at::Tensor values = upcast(deltas);
  return at::smooth_l1_loss(values, targets.to(values.scalar_type()), at::Reduction::None,
                            kSmoothL1Beta);
}

}  // namespace

at::Tensor boxRegressionLoss(const at::Tensor& deltas, const at::Tensor& targets,
                             const at::Tensor& weights, const at::Tensor& normaliser) {
  return (smoothL1(deltas, targets) * weights.unsqueeze(1)).sum() / normaliser.clamp_min(1);
}

at::Tensor boxRegressionLosses(const at::Tensor& deltas, const at::Tensor& targets) {
  return smoothL1(deltas, targets).sum(1);
}

at::Tensor binaryLoss(const at::Tensor& logits, const at::Tensor& targets,
                      const at::Tensor& weights) {
  std::vector<std::int64_t> oneEach(static_cast<std::size_t>(logits.dim()), 1);
  oneEach[0] = logits.size(0);
  const at::Tensor values = upcast(logits);
  const at::Tensor losses = at::binary_cross_entropy_with_logits(
      values, targets.to(values.scalar_type()), weights.view(oneEach), /*pos_weight=*/{},
      at::Reduction::Sum);
  const std::int64_t ofRow = logits.numel() / std::max<std::int64_t>(logits.size(0), 1);
  return losses / (weights.sum() * static_cast<double>(ofRow)).clamp_min(1);
}

at::Tensor binaryLosses(const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor values = upcast(logits);
  return at::binary_cross_entropy_with_logits(values, targets.to(values.scalar_type()),
                                              /*weight=*/{}, /*pos_weight=*/{},
                                              at::Reduction::None);
}

at::Tensor classLoss(const at::Tensor& logits, const at::Tensor& labels, const at::Tensor& weights,
                     const at::Tensor& classWeights) {
  std::optional<at::Tensor> ofClasses;
  if (classWeights.defined()) ofClasses = classWeights;
  const at::Tensor losses =
      at::cross_entropy_loss(upcast(logits), labels, ofClasses, at::Reduction::None);
  return (losses * weights).sum() / weights.sum().clamp_min(1);
}

at::Tensor classLosses(const at::Tensor& logits, const at::Tensor& labels) {
  return at::cross_entropy_loss(upcast(logits), labels, /*weight=*/{}, at::Reduction::None);
}

}  // namespace lockstep::model
