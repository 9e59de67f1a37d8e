#include "engine/structures/tensor_block.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace lockstep::structures {
namespace {

constexpr std::int64_t kAlignmentBytes = 64;

at::Tensor allocate(std::int64_t bytes, HostMemory memory) {
  return at::empty({bytes},
                   at::TensorOptions(at::kByte).pinned_memory(memory == HostMemory::Pinned));
}

std::int64_t partBytes(const PartShape& part) {
  return c10::multiply_integers(part.sizes) *
         static_cast<std::int64_t>(c10::elementSize(part.type));
}

at::Tensor partOf(const at::Tensor& block, std::int64_t firstByte, const PartShape& part) {
  return block.narrow(0, firstByte, partBytes(part)).view(part.type).view(part.sizes);
}

template <typename T>
at::Tensor copied(const std::vector<T>& values, at::ScalarType type, const at::Device& device) {
  const auto options = at::TensorOptions(type).pinned_memory(device.is_cuda());
  at::Tensor host = at::empty({static_cast<std::int64_t>(values.size())}, options);
  std::copy(values.begin(), values.end(), host.data_ptr<T>());
  return host.to(device, /*non_blocking=*/true);
}

}  // namespace

std::vector<at::Tensor> makeBlock(const std::vector<PartShape>& parts, HostMemory memory) {
  std::vector<std::int64_t> places;
  std::int64_t end = 0;
  for (const PartShape& part : parts) {
    places.push_back(end);
    end += (partBytes(part) + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
  }
  const at::Tensor block = allocate(end, memory);
  std::vector<at::Tensor> tensors;
  for (std::size_t i = 0; i < parts.size(); ++i)
    tensors.push_back(partOf(block, places[i], parts[i]));
  return tensors;
}

std::vector<at::Tensor> blockTo(const std::vector<at::Tensor>& parts, const at::Device& device) {
  if (parts.empty() || parts.front().device() == device) return parts;
  const c10::Storage& storage = parts.front().storage();
  const auto bytes = static_cast<std::int64_t>(storage.nbytes());
  const at::Tensor block = at::empty({0}, parts.front().options().dtype(at::kByte))
                               .set_(storage, 0, {bytes}, {1})
                               .to(device, /*non_blocking=*/true);
  std::vector<at::Tensor> moved;
  for (const at::Tensor& part : parts) {
    TORCH_CHECK(part.is_alias_of(parts.front()) && part.is_contiguous(),
                "the tensors are not of one block");
    moved.push_back(partOf(block, part.storage_offset() * part.element_size(),
                           {part.scalar_type(), part.sizes().vec()}));
  }
  return moved;
}

at::Tensor toDevice(const std::vector<std::int64_t>& values, const at::Device& device) {
  return copied(values, at::kLong, device);
}

at::Tensor toDevice(const std::vector<float>& values, const at::Device& device) {
  return copied(values, at::kFloat, device);
}

}  // namespace lockstep::structures
