#include "engine/model/cached_weight.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace lockstep::model {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor overChannels(const at::Tensor& factor) { return factor.view({-1, 1, 1, 1}); }

/// Connects the copy of a parameter to it in the autograd graph.
class CopyFunction : public torch::autograd::Function<CopyFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& parameter,
                            const at::Tensor& copy, const std::optional<at::Tensor>& factor) {
    context->saved_data["type"] = static_cast<std::int64_t>(parameter.scalar_type());
    if (factor) context->save_for_backward({*factor});
    return copy.detach();
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

CachedWeight::CachedWeight(at::Tensor parameter) : parameter_(std::move(parameter)) {}

at::Tensor CachedWeight::as(at::ScalarType type, const at::Tensor& factor) {
  if (type == parameter_.scalar_type() && !factor.defined()) return parameter_;
  const std::lock_guard lock(mutex_);
  if (!factor_.is_same(factor)) {
    factor_ = factor;
    for (Copy& each : copies_) each.madeOf.reset();
  }
  Copy& copy = copyAs(type);
  if (isOutOfDate(copy)) make(copy);
  if (TensorCacheWatch* watch = TensorCacheWatch::current()) watch->add({copy.tensor});
  if (!parameter_.requires_grad() || !at::GradMode::is_enabled()) return copy.tensor;
  return CopyFunction::apply(parameter_, copy.tensor,
                             factor.defined() ? std::optional(factor) : std::nullopt);
}

void CachedWeight::refresh(const std::vector<CachedWeight*>& weights) {
  const at::NoGradGuard noGradient;
  std::vector<std::unique_lock<std::mutex>> locks;
  std::vector<at::Tensor> parameters, copies;
  for (CachedWeight* weight : weights) {
    std::unique_lock lock(weight->mutex_);
    for (Copy& copy : weight->copies_) {
      if (!weight->isOutOfDate(copy) || copy.tensor.device() != weight->parameter_.device())
        continue;
      if (weight->factor_.defined()) {
        weight->make(copy);
        continue;
      }
      parameters.push_back(weight->parameter_);
      copies.push_back(copy.tensor);
      copy.madeOf.emplace(weight->parameter_);
    }
    locks.push_back(std::move(lock));
  }
  if (!copies.empty()) at::_foreach_copy_(copies, parameters);
}

CachedWeight::Copy& CachedWeight::copyAs(at::ScalarType type) {
  std::erase_if(copies_,
                [&](const Copy& each) { return each.tensor.device() != parameter_.device(); });
  const auto isOfType = [&](const Copy& each) { return each.tensor.scalar_type() == type; };
  const auto found = std::ranges::find_if(copies_, isOfType);
  if (found != copies_.end()) return *found;
  // Otherwise copies made in inference mode could not be used in training.
  const c10::InferenceMode ordinary(false);
  copies_.push_back(
      {at::empty_like(parameter_.detach(), parameter_.options().dtype(type)), std::nullopt});
  return copies_.back();
}

void CachedWeight::make(Copy& copy) {
  const at::NoGradGuard noGradient;
  if (factor_.defined()) {
    at::mul_out(copy.tensor, parameter_, overChannels(factor_));
  } else {
    copy.tensor.copy_(parameter_);
  }
  copy.madeOf.emplace(parameter_);
}

}  // namespace lockstep::model
