#include "engine/model/computed_weight.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/model/kept_tensors.h"

namespace lockstep::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor overChannels(const at::Tensor& factor) { return factor.view({-1, 1, 1, 1}); }

/// Ties what was made of a parameter to it.
class OfParameter : public torch::autograd::Function<OfParameter> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& parameter,
                            const at::Tensor& kept, const std::optional<at::Tensor>& factor) {
    context->saved_data["type"] = static_cast<std::int64_t>(parameter.scalar_type());
    if (factor) context->save_for_backward({*factor});
    return kept.detach();
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    const variable_list factor = context->get_saved_variables();
    at::Tensor gradient = gradients[0].to(type);
    if (!factor.empty()) gradient = gradient * overChannels(factor[0]);
    return {gradient, {}, {}};
  }
};

}  // namespace

ComputedWeight::ComputedWeight(at::Tensor parameter) : parameter_(std::move(parameter)) {}

at::Tensor ComputedWeight::in(at::ScalarType type, const at::Tensor& factor) {
  if (type == parameter_.scalar_type() && !factor.defined()) return parameter_;
  const std::lock_guard lock(mutex_);
  if (!factor_.is_same(factor)) {
    factor_ = factor;
    for (Kept& each : kept_) each.made.reset();
  }
  Kept& kept = keptIn(type);
  if (isOutOfDate(kept)) make(kept);
  if (KeptTensorsWatch* watch = KeptTensorsWatch::current()) watch->tell({kept.tensor});
  if (!parameter_.requires_grad() || !at::GradMode::is_enabled()) return kept.tensor;
  return OfParameter::apply(parameter_, kept.tensor,
                            factor.defined() ? std::optional(factor) : std::nullopt);
}

void ComputedWeight::refresh(const std::vector<ComputedWeight*>& weights) {
  const at::NoGradGuard noGradient;
  std::vector<std::unique_lock<std::mutex>> locks;
  std::vector<at::Tensor> parameters, copies;
  for (ComputedWeight* weight : weights) {
    std::unique_lock lock(weight->mutex_);
    for (Kept& kept : weight->kept_) {
      if (!weight->isOutOfDate(kept) || kept.tensor.device() != weight->parameter_.device())
        continue;
      if (weight->factor_.defined()) {
        weight->make(kept);
        continue;
      }
      parameters.push_back(weight->parameter_);
      copies.push_back(kept.tensor);
      kept.made.emplace(weight->parameter_);
    }
    locks.push_back(std::move(lock));
  }
  if (!copies.empty()) at::_foreach_copy_(copies, parameters);
}

ComputedWeight::Kept& ComputedWeight::keptIn(at::ScalarType type) {
  std::erase_if(kept_,
                [&](const Kept& each) { return each.tensor.device() != parameter_.device(); });
  const auto isOfType = [&](const Kept& each) { return each.tensor.scalar_type() == type; };
  const auto found = std::ranges::find_if(kept_, isOfType);
  if (found != kept_.end()) return *found;
  // Else what inference makes could not be trained with.
  const c10::InferenceMode ordinary(false);
  kept_.push_back(
      {at::empty_like(parameter_.detach(), parameter_.options().dtype(type)), std::nullopt});
  return kept_.back();
}

void ComputedWeight::make(Kept& kept) {
  const at::NoGradGuard noGradient;
  if (factor_.defined()) {
    at::mul_out(kept.tensor, parameter_, overChannels(factor_));
  } else {
    kept.tensor.copy_(parameter_);
  }
  kept.made.emplace(parameter_);
}

}  // namespace lockstep::model
