#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// Tensors that share one contiguous allocation, so that all are copied to a device in one
/// transfer.
namespace lockstep::structures {

struct PartShape {
  at::ScalarType type;
  std::vector<std::int64_t> sizes;
};

enum class HostMemory {
  Pageable,
  Pinned,  ///< page-locked, for asynchronous copies to a GPU; needs a GPU
};

/// Uninitialised tensors in a new block on the host. Any thread; no ATen parallelism. Pinned memory
/// comes from LibTorch's caching host allocator, which is thread-safe, uses an existing device
/// context, and reuses memory only after pending copies from it are done.
std::vector<at::Tensor> makeBlock(const std::vector<PartShape>& parts, HostMemory memory);

/// Copies all tensors of a block to a device on the current stream; does not synchronise if pinned.
std::vector<at::Tensor> blockTo(const std::vector<at::Tensor>& parts, const at::Device& device);

/// Host values as a tensor [K] on a device, without synchronising.
at::Tensor toDevice(const std::vector<std::int64_t>& values, const at::Device& device);
at::Tensor toDevice(const std::vector<float>& values, const at::Device& device);

}  // namespace lockstep::structures
