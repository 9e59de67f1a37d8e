#include "engine/ops/epilogue.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/ops/epilogue_cuda.h"
#include "engine/ops/recorded_op.h"
#include "engine/ops/vector_clones.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// bias and residual may be null.
template <bool kHasRelu>
[[gnu::always_inline]] inline void finishBody(float* map, const float* bias, const float* residual,
                                              std::int64_t pixels, std::int64_t channels) {
  for (std::int64_t i = 0; i < pixels; ++i, map += channels) {
    if (bias != nullptr)
      for (std::int64_t c = 0; c < channels; ++c) map[c] += bias[c];
    if (residual != nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) map[c] += residual[c];
      residual += channels;
    }
    // Written so that NaN stays.
    if constexpr (kHasRelu)
      for (std::int64_t c = 0; c < channels; ++c) map[c] = map[c] < 0 ? 0 : map[c];
  }
}

LOCKSTEP_VECTOR_CLONES
void finishPixels(float* map, const float* bias, const float* residual, std::int64_t pixels,
                  std::int64_t channels) {
  finishBody<false>(map, bias, residual, pixels, channels);
}
LOCKSTEP_VECTOR_CLONES
void finishPixelsWithRelu(float* map, const float* bias, const float* residual, std::int64_t pixels,
                          std::int64_t channels) {
  finishBody<true>(map, bias, residual, pixels, channels);
}

bool isChannelsLast(const at::Tensor& map) {
  return map.is_contiguous(at::MemoryFormat::ChannelsLast);
}

void finishOnCpu(at::Tensor& map, const Epilogue& epilogue) {
  const std::int64_t channels = map.size(1), pixels = map.numel() / channels;
  const at::Tensor bias = epilogue.bias ? epilogue.bias->contiguous() : at::Tensor();
  float* values = map.data_ptr<float>();
  const float* shifts = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  const float* others = epilogue.residual ? epilogue.residual->const_data_ptr<float>() : nullptr;
  const auto act = epilogue.hasRelu ? finishPixelsWithRelu : finishPixels;
  at::parallel_for(0, pixels, 64, [&](std::int64_t begin, std::int64_t end) {
    act(values + begin * channels, shifts, others == nullptr ? nullptr : others + begin * channels,
        end - begin, channels);
  });
}

void finishByOperators(at::Tensor& map, const Epilogue& epilogue) {
  if (epilogue.bias) map.add_(epilogue.bias->view({1, -1, 1, 1}).to(map.scalar_type()));
  if (epilogue.residual) map.add_(*epilogue.residual);
  if (epilogue.hasRelu) map.relu_();
}

/// `residual` is like map in memory too.
void finishInPlace(at::Tensor& map, const Epilogue& epilogue) {
  const bool isSimple = isChannelsLast(map) && map.numel() > 0;
#ifdef LOCKSTEP_CUDA
  if (map.is_cuda() && isSimple) return finishCuda(map, epilogue);
#endif
  const bool isFloat = map.scalar_type() == at::kFloat &&
                       (!epilogue.bias || epilogue.bias->scalar_type() == at::kFloat);
  if (map.is_cpu() && isSimple && isFloat) return finishOnCpu(map, epilogue);
  finishByOperators(map, epilogue);
}

class FinishFunction : public torch::autograd::Function<FinishFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, at::Tensor map,
                            const std::optional<at::Tensor>& bias,
                            const std::optional<at::Tensor>& residual, bool hasRelu) {
    LOCKSTEP_RECORD_OP("finish", map, bias, residual);
    context->mark_dirty({map});
    at::Tensor values = map.detach();
    finishInPlace(values, {bias, residual, hasRelu});
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

at::Tensor finish(at::Tensor map, const Epilogue& epilogue) {
  TORCH_CHECK(map.dim() == 4, "map must be [N,C,H,W], got ", map.sizes());
  TORCH_CHECK(!epilogue.bias || epilogue.bias->numel() == map.size(1), "bias must be [",
              map.size(1), "], got ", epilogue.bias->sizes());
  TORCH_CHECK(!epilogue.residual || (epilogue.residual->sizes() == map.sizes() &&
                                     epilogue.residual->scalar_type() == map.scalar_type()),
              "residual must be like the map");
  if (epilogue.isEmpty()) return map;
  std::optional<at::Tensor> residual = epilogue.residual;
  if (residual) residual = residual->contiguous(map.suggest_memory_format());
  return FinishFunction::apply(std::move(map), epilogue.bias, residual, epilogue.hasRelu);
}

}  // namespace lockstep::ops
