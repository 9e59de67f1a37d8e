#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::app {

/// Steps of records, append only. A block of equally spaced ones, which is the rule, takes no
/// memory per step; in another they are 32-bit distances from its first, or, where those do not
/// fit, whole. A copy is as one of ChunkedColumn.
class StepColumn {
 public:
  std::size_t size() const { return size_; }
  std::int64_t operator[](std::size_t index) const {
    const Block& block = blocks_[index / kBlock];
    const std::size_t at = index % kBlock;
    if (block.offsets) return block.first + block.offsets[at];
    return block.wide ? block.wide[at] : block.first + static_cast<std::int64_t>(at) * block.stride;
  }
  void append(std::int64_t step);
  /// Removes the steps from index `size` on.
  void truncate(std::size_t size);
  std::size_t bytes() const;

 private:
  static constexpr std::size_t kBlock = 4096;
  struct Block {
    std::int64_t first = 0, stride = 0;
    std::shared_ptr<std::int32_t[]> offsets;
    std::shared_ptr<std::int64_t[]> wide;
  };
  template <typename T>
  static std::shared_ptr<T[]> ownCopy(const T* steps);
  static void store(Block& block, std::size_t at, std::int64_t step);

  std::vector<Block> blocks_;
  std::size_t size_ = 0;
};

}  // namespace lockstep::app
