#include "engine/ops/epilogue.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr DispatchStub<EpilogueKernel> kEpilogueStub{cpu::applyEpilogue,
                                                     LOCKSTEP_CUDA_KERNEL(cuda::applyEpilogue)};

bool hasEpilogueKernel(const at::Tensor& map, const Epilogue& epilogue) {
  if (map.numel() == 0 || !map.is_contiguous(at::MemoryFormat::ChannelsLast)) return false;
  const bool isFloat = map.scalar_type() == at::kFloat &&
                       (!epilogue.bias || epilogue.bias->scalar_type() == at::kFloat);
  return kEpilogueStub.hasKernelFor(map.device()) && (isFloat || !map.is_cpu());
}

/// `residual` also has the strides of `map`.
void applyInPlace(at::Tensor& map, const Epilogue& epilogue) {
  if (hasEpilogueKernel(map, epilogue)) return kEpilogueStub(map.device(), map, epilogue);
  if (epilogue.bias) map.add_(epilogue.bias->view({1, -1, 1, 1}).to(map.scalar_type()));
  if (epilogue.residual) map.add_(*epilogue.residual);
  if (epilogue.hasRelu) map.relu_();
}

class EpilogueFunction : public torch::autograd::Function<EpilogueFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, at::Tensor map,
                            const std::optional<at::Tensor>& bias,
                            const std::optional<at::Tensor>& residual, bool hasRelu) {
    LOCKSTEP_RECORD_FUNCTION("epilogue", map, bias, residual);
    context->mark_dirty({map});
    at::Tensor values = map.detach();
    applyInPlace(values, {bias, residual, hasRelu});
    if (hasRelu) context->save_for_backward({map});
    context->saved_data["hasRelu"] = hasRelu;
    context->saved_data["hasBias"] = bias.has_value();
    context->saved_data["hasResidual"] = residual.has_value();
    if (bias) context->saved_data["biasType"] = static_cast<std::int64_t>(bias->scalar_type());
    return map;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    const bool hasRelu = context->saved_data["hasRelu"].toBool();
    const at::Tensor grad =
        hasRelu ? at::threshold_backward(grads[0], context->get_saved_variables()[0], 0) : grads[0];
    variable_list result{grad, {}, {}, {}};
    const bool hasBias = context->saved_data["hasBias"].toBool();
    if (hasBias && context->needs_input_grad(1)) {
      const auto type = static_cast<at::ScalarType>(context->saved_data["biasType"].toInt());
      result[1] = grad.sum({0, 2, 3}, /*keepdim=*/false, type);
    }
    if (context->saved_data["hasResidual"].toBool()) result[2] = grad;
    return result;
  }
};

}  // namespace

at::Tensor applyEpilogue(at::Tensor map, const Epilogue& epilogue) {
  TORCH_CHECK(map.dim() == 4, "map must be [N,C,H,W], got ", map.sizes());
  TORCH_CHECK(!epilogue.bias || epilogue.bias->numel() == map.size(1), "bias must be [",
              map.size(1), "], got ", epilogue.bias->sizes());
  TORCH_CHECK(!epilogue.residual || (epilogue.residual->sizes() == map.sizes() &&
                                     epilogue.residual->scalar_type() == map.scalar_type()),
              "residual must have the shape and dtype of the map");
  if (epilogue.isEmpty()) return map;
  std::optional<at::Tensor> residual = epilogue.residual;
  if (residual) residual = residual->contiguous(map.suggest_memory_format());
  return EpilogueFunction::apply(std::move(map), epilogue.bias, residual, epilogue.hasRelu);
}

}  // namespace lockstep::ops
