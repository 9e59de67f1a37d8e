#include "engine/ops/max_pool.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr DispatchStub<MaxPoolKernel> kMaxPoolStub{cpu::maxPool,
                                                   LOCKSTEP_CUDA_KERNEL(cuda::maxPool)};
constexpr DispatchStub<MaxPoolBackwardKernel> kMaxPoolBackwardStub{
    cpu::maxPoolBackward, LOCKSTEP_CUDA_KERNEL(cuda::maxPoolBackward)};

class MaxPoolFunction : public torch::autograd::Function<MaxPoolFunction> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x) {
    LOCKSTEP_RECORD_FUNCTION("max_pool", x);
    const auto options = x.options().memory_format(at::MemoryFormat::ChannelsLast);
    at::Tensor out =
        at::empty({x.size(0), x.size(1), (x.size(2) + 1) / 2, (x.size(3) + 1) / 2}, options);
    at::Tensor argmax = at::empty(out.sizes(), options.dtype(at::kByte));
    kMaxPoolStub(x.device(), x, out, argmax);
    context->save_for_backward({argmax});
    context->saved_data["size"] = x.sizes().vec();
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    LOCKSTEP_RECORD_FUNCTION("max_pool_backward", grads[0]);
    const at::Tensor argmax = context->get_saved_variables()[0];
    const auto sizes = context->saved_data["size"].toIntVector();
    const at::Tensor grad = grads[0].contiguous(at::MemoryFormat::ChannelsLast);
    at::Tensor gradIn =
        at::empty(sizes, grad.options().memory_format(at::MemoryFormat::ChannelsLast));
    kMaxPoolBackwardStub(grad.device(), grad, argmax, gradIn);
    return {gradIn};
  }
};

bool hasMaxPoolKernel(const at::Tensor& x) {
  if (x.numel() == 0 || !x.is_contiguous(at::MemoryFormat::ChannelsLast)) return false;
  return kMaxPoolStub.hasKernelFor(x.device()) && (!x.is_cpu() || x.scalar_type() == at::kFloat);
}

}  // namespace

at::Tensor maxPool3x3(const at::Tensor& x) {
  TORCH_CHECK(x.dim() == 4, "x must be [N,C,H,W], got ", x.sizes());
  return hasMaxPoolKernel(x) ? MaxPoolFunction::apply(x)
                             : at::max_pool2d(x, {3, 3}, {2, 2}, {1, 1});
}

}  // namespace lockstep::ops
