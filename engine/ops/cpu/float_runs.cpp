#include "engine/ops/cpu/float_runs.h"

#include <ATen/ATen.h>

#include <bit>

#include "engine/ops/cpu/vector_clones.h"

namespace lockstep::ops {
namespace {

LOCKSTEP_VECTOR_CLONES
void widen(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = std::bit_cast<float>(static_cast<std::uint32_t>(from[i]) << 16);
}

LOCKSTEP_VECTOR_CLONES
void narrow(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(from[i]);
    const std::uint32_t rounded = (bits + 0x7fffU + (bits >> 16 & 1U)) >> 16;
    const bool isNan = (bits & 0x7fffffffU) > 0x7f800000U;
    to[i] = static_cast<std::uint16_t>(isNan ? 0x7fc0U : rounded);
  }
}

/// The memory of a map of bfloat16.
std::uint16_t* halvesOf(const at::Tensor& map) {
  return reinterpret_cast<std::uint16_t*>(map.data_ptr<c10::BFloat16>());
}

}  // namespace

float* FloatRoom::of(std::size_t map) {
  if (elements_ == 0) return nullptr;
  if (copies_.size() <= map) copies_.resize(map + 1);
  copies_[map].resize(static_cast<std::size_t>(elements_));
  return copies_[map].data();
}

FloatReader::FloatReader(const at::Tensor& map) {
  if (!map.defined()) return;
  if (map.scalar_type() == at::kFloat) {
    floats_ = map.const_data_ptr<float>();
  } else {
    halves_ = halvesOf(map);
  }
}

const float* FloatReader::read(std::int64_t offset, std::int64_t count, float* copy) const {
  if (halves_ == nullptr) return floats_ == nullptr ? nullptr : floats_ + offset;
  widen(halves_ + offset, count, copy);
  return copy;
}

FloatWriter::FloatWriter(at::Tensor& map) {
  if (!map.defined()) return;
  if (map.scalar_type() == at::kFloat) {
    floats_ = map.data_ptr<float>();
  } else {
    halves_ = halvesOf(map);
  }
}

float* FloatWriter::begin(std::int64_t offset, float* copy) const {
  if (halves_ != nullptr) return copy;
  return floats_ == nullptr ? nullptr : floats_ + offset;
}

void FloatWriter::end(std::int64_t offset, std::int64_t count, const float* written) const {
  if (halves_ != nullptr) narrow(written, count, halves_ + offset);
}

}  // namespace lockstep::ops
