#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// Runs of the elements of float32 and bfloat16 maps as float32, for code that computes in it:
/// those of float32 where they lie, of others as copies that stay in the cache.
namespace lockstep::ops {

/// A thread's room for copies of a run of some maps.
class FloatRoom {
 public:
  /// elements: of the longest run; 0 where no map is of halves.
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
  /// They are written; rounds halves to nearest, ties to even.
  void end(std::int64_t offset, std::int64_t count, const float* written) const;

 private:
  float* floats_ = nullptr;
  std::uint16_t* halves_ = nullptr;
};

}  // namespace lockstep::ops
