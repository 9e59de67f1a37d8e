#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>

#include <vector>

#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/cuda/tensor_sums.cuh"
#include "engine/ops/tensor_sums.h"
#include "engine/structures/tensor_block.h"

namespace lockstep::ops {
namespace {

void appendAddresses(const std::vector<at::Tensor>& tensors, std::vector<std::int64_t>& table) {
  for (const at::Tensor& tensor : tensors)
    table.push_back(reinterpret_cast<std::int64_t>(tensor.const_data_ptr<float>()));
}

}  // namespace

at::Tensor cuda::tensorSums(const std::vector<at::Tensor>& tensors,
                            const std::vector<at::Tensor>& others) {
  const at::Device device = tensors[0].device();
  const c10::cuda::CUDAGuard guard(device);
  const auto count = static_cast<std::int64_t>(tensors.size());
  std::vector<std::int64_t> table;
  appendAddresses(tensors, table);
  appendAddresses(others, table);
  for (const at::Tensor& tensor : tensors) table.push_back(tensor.numel());
  std::int64_t chunks = 0;
  for (const at::Tensor& tensor : tensors) {
    table.push_back(chunks);
    chunks += blocksFor(tensor.numel(), kSumChunk);
  }
  table.push_back(chunks);
  const at::Tensor onDevice = structures::toDevice(table, device);
  const std::int64_t* first = onDevice.const_data_ptr<std::int64_t>();
  const std::int64_t* afterAddresses = first + count * (others.empty() ? 1 : 2);
  const SumJob job{first,
                   others.empty() ? nullptr : first + count,
                   afterAddresses,
                   afterAddresses + count,
                   static_cast<int>(count),
                   static_cast<int>(kSumChunk)};
  const std::int64_t sums = others.empty() ? 2 : kMostSums;
  const auto options = at::TensorOptions(at::kDouble).device(device);
  at::Tensor chunkSums = at::empty({chunks, sums}, options);
  at::Tensor result = at::empty({count, sums}, options);
  if (chunks > 0) {
    launch(chunkSumsKernel, {static_cast<unsigned>(chunks), 1, 1, kSumThreads}, job,
           chunkSums.data_ptr<double>());
  }
  launch(addChunksKernel, {static_cast<unsigned>(count), 1, 1, kSumThreads}, job,
         chunkSums.const_data_ptr<double>(), result.data_ptr<double>());
  return result;
}

}  // namespace lockstep::ops
