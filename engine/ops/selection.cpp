#include "engine/ops/selection.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lockstep::ops {
namespace {

template <typename T>
at::Tensor copied(const std::vector<T>& values, at::ScalarType type, const at::Device& device) {
  const auto options = at::TensorOptions(type).pinned_memory(device.is_cuda());
  at::Tensor host = at::empty({static_cast<std::int64_t>(values.size())}, options);
  std::copy(values.begin(), values.end(), host.data_ptr<T>());
  return host.to(device, /*non_blocking=*/true);
}

std::vector<std::int64_t> sizesOf(const at::Tensor& indices, at::IntArrayRef rowSizes) {
  std::vector<std::int64_t> sizes{indices.size(0), indices.size(1)};
  sizes.insert(sizes.end(), rowSizes.begin(), rowSizes.end());
  return sizes;
}

}  // namespace

at::Tensor pick(const at::Tensor& values, const at::Tensor& indices) {
  TORCH_CHECK(values.dim() >= 2 && indices.dim() == 2 && values.size(0) == indices.size(0),
              "values must be [N,A,...] and indices [N,K], got ", values.sizes(), " and ",
              indices.sizes());
  const at::Tensor firsts = at::arange(values.size(0), indices.options()) * values.size(1);
  const at::Tensor rows = (indices + firsts.unsqueeze(1)).flatten();
  return values.flatten(0, 1).index_select(0, rows).view(sizesOf(indices, values.sizes().slice(2)));
}

at::Tensor pickShared(const at::Tensor& values, const at::Tensor& indices) {
  return values.index_select(0, indices.flatten()).view(sizesOf(indices, values.sizes().slice(1)));
}

at::Tensor toDevice(const std::vector<std::int64_t>& values, const at::Device& device) {
  return copied(values, at::kLong, device);
}

at::Tensor toDevice(const std::vector<float>& values, const at::Device& device) {
  return copied(values, at::kFloat, device);
}

}  // namespace lockstep::ops
