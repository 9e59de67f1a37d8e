#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// Tensors that lie one after another in one piece of memory, so that all of them go to a device in
/// one copy.
namespace lockstep::structures {

struct PartShape {
  at::ScalarType type;
  std::vector<std::int64_t> sizes;
};

enum class HostMemory {
  Plain,
  Pinned,  ///< a GPU can copy from it while the host goes on; only where there is a GPU
};

/// Tensors of a new block on the host, not initialised. Any thread, and no ATen parallelism:
/// pinned memory comes from LibTorch's cache of it, which has its own locks, uses the context of a
/// device that has one, and gives memory out again only when the copies out of it are done.
std::vector<at::Tensor> makeBlock(const std::vector<PartShape>& parts, HostMemory memory);

/// All tensors of a block, on a device. On the current stream; waits for nothing when pinned.
std::vector<at::Tensor> blockTo(const std::vector<at::Tensor>& parts, const at::Device& device);

/// Host values as a tensor [K] on a device, without waiting for it.
at::Tensor toDevice(const std::vector<std::int64_t>& values, const at::Device& device);
at::Tensor toDevice(const std::vector<float>& values, const at::Device& device);

}  // namespace lockstep::structures
