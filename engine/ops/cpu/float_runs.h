#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// Accesses ranges of elements of float32 and bfloat16 maps as float32: float32 maps in place,
/// others through converted copies that stay in the CPU cache.
namespace lockstep::ops {

/// A thread's buffers for converted ranges.
class FloatRoom {
 public:
  /// elements: of the longest range; 0 if no map is in half precision.
  explicit FloatRoom(std::int64_t elements) : elements_(elements) {}
  float* of(std::size_t map);

 private:
  std::int64_t elements_;
  std::vector<std::vector<float>> copies_;
};

class FloatReader {
 public:
  /// Undefined: there is nothing to read.
  explicit FloatReader(const at::Tensor& map);

  bool isHalf() const { return halves_ != nullptr; }
  /// Elements [offset, offset + count); null when there is no map.
  const float* read(std::int64_t offset, std::int64_t count, float* copy) const;

 private:
  const float* floats_ = nullptr;
  const std::uint16_t* halves_ = nullptr;
};

class FloatWriter {
 public:
  /// Undefined: nothing is written.
  explicit FloatWriter(at::Tensor& map);

  /// Where elements from `offset` on are to be written; null when there is no map.
  float* begin(std::int64_t offset, float* copy) const;
  /// Stores the written elements; rounds to half precision (nearest, ties to even).
  void end(std::int64_t offset, std::int64_t count, const float* written) const;

 private:
  float* floats_ = nullptr;
  std::uint16_t* halves_ = nullptr;
};

}  // namespace lockstep::ops
