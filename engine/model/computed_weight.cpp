#include "engine/model/computed_weight.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include <optional>
#include <utility>

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
  reserve(type);
  if (!factor_.is_same(factor)) {
    factor_ = factor;
    made_ = {};
  }
  if (isOutOfDate()) make();
  if (!parameter_.requires_grad() || !at::GradMode::is_enabled()) return kept_;
  return OfParameter::apply(parameter_, kept_,
                            factor.defined() ? std::optional(factor) : std::nullopt);
}

void ComputedWeight::refresh(const std::vector<ComputedWeight*>& weights) {
  const at::NoGradGuard noGradient;
  std::vector<std::unique_lock<std::mutex>> locks;
  std::vector<ComputedWeight*> plain;
  std::vector<at::Tensor> parameters, kept;
  for (ComputedWeight* weight : weights) {
    std::unique_lock lock(weight->mutex_);
    if (!weight->isOutOfDate()) continue;
    if (weight->factor_.defined()) {
      weight->make();
      continue;
    }
    plain.push_back(weight);
    parameters.push_back(weight->parameter_);
    kept.push_back(weight->kept_);
    locks.push_back(std::move(lock));
  }
  if (plain.empty()) return;
  at::_foreach_copy_(kept, parameters);
  for (ComputedWeight* weight : plain) weight->made_ = weight->source();
}

ComputedWeight::Source ComputedWeight::source() const {
  return {parameter_.const_data_ptr(), static_cast<std::uint32_t>(parameter_._version())};
}

bool ComputedWeight::isKept() const {
  return kept_.defined() && kept_.device() == parameter_.device();
}

void ComputedWeight::reserve(at::ScalarType type) {
  if (isKept() && kept_.scalar_type() == type) return;
  // Else what inference makes could not be trained with.
  const c10::InferenceMode ordinary(false);
  kept_ = at::empty_like(parameter_.detach(), parameter_.options().dtype(type));
  made_ = {};
}

void ComputedWeight::make() {
  const at::NoGradGuard noGradient;
  if (factor_.defined()) {
    at::mul_out(kept_, parameter_, overChannels(factor_));
  } else {
    kept_.copy_(parameter_);
  }
  made_ = source();
}

}  // namespace lockstep::model
