#include "engine/ops/linear.h"

#include <ATen/ATen.h>

#include "engine/ops/spare_threads.h"

namespace lockstep::ops {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (x.is_cuda() || !cpu::hasSpareThreads()) return at::linear(x, weight, bias);
  const auto compute = [](const at::Tensor& rows, const at::Tensor& factors,
                          const std::optional<at::Tensor>& shifts) {
    return at::linear(rows, factors, shifts);
  };
  return cpu::onSpareThreads({cpu::LibraryCall::Operation::Linear, {}, x, weight, bias, compute});
}

}  // namespace lockstep::ops
