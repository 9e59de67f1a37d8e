#include "engine/ops/linear.h"

#include <ATen/ATen.h>

#include "engine/ops/spare_threads.h"

namespace lockstep::ops {

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  const auto compute = [&](const at::Tensor& input) { return at::linear(input, weight, bias); };
  if (x.is_cuda() || !cpu::hasSpareThreads()) return compute(x);
  return cpu::onSpareThreads({cpu::LibraryCall::Operation::Linear, {}, weight, compute}, x);
}

}  // namespace lockstep::ops
