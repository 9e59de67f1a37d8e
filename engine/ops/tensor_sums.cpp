#include "engine/ops/tensor_sums.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "engine/ops/dispatch.h"
#include "engine/ops/record_function.h"

namespace lockstep::ops {
namespace {

constexpr DispatchStub<TensorSumsKernel> kTensorSumsStub{cpu::tensorSums,
                                                         LOCKSTEP_CUDA_KERNEL(cuda::tensorSums)};

bool isSummable(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat && tensor.is_non_overlapping_and_dense();
}

}  // namespace

at::Tensor tensorSums(const std::vector<at::Tensor>& tensors,
                      const std::vector<at::Tensor>& others) {
  LOCKSTEP_RECORD_FUNCTION("tensor_sums", tensors, others);
  TORCH_CHECK(!tensors.empty(), "no tensors to sum");
  TORCH_CHECK(std::ranges::all_of(tensors, isSummable), "tensors must be float32 and dense");
  TORCH_CHECK(others.empty() || std::ranges::equal(
                                    tensors, others,
                                    [](const at::Tensor& tensor, const at::Tensor& other) {
                                      return isSummable(other) && tensor.sizes() == other.sizes() &&
                                             tensor.strides() == other.strides();
                                    }),
              "the other tensors must have the layouts of the tensors");
  return kTensorSumsStub(tensors[0].device(), tensors, others);
}

}  // namespace lockstep::ops
