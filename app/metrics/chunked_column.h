#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::app {

/// Append-only values in blocks of equal size: growing copies no block and wastes less than one.
/// The unused end of a block is never touched, so that the system need not provide it. The first
/// block starts short, because a log may have many tags with few values. A copy shares the blocks,
/// and another thread may read it meanwhile: its values are never overwritten.
template <typename T, std::size_t kBlock = 4096>
class ChunkedColumn {
 public:
  std::size_t size() const { return size_; }
  T operator[](std::size_t index) const { return blocks_[index / kBlock][index % kBlock]; }
  T back() const { return (*this)[size_ - 1]; }
  void append(T value) {
    if (size_ == capacity_) grow();
    blocks_[size_ / kBlock][size_ % kBlock] = value;
    ++size_;
  }
  /// Removes the values from index `size` on and frees their blocks.
  void truncate(std::size_t size) {
    size_ = size;
    blocks_.resize((size + kBlock - 1) / kBlock);
    capacity_ = blocks_.size() * kBlock;
    // A copy may have the values that the next ones would replace.
    if (size % kBlock != 0) blocks_.back() = wholeCopy(blocks_.back().get(), size % kBlock);
  }
  std::size_t bytes() const { return capacity_ * sizeof(T); }

 private:
  static constexpr std::size_t kShortBlock = 64;
  static std::shared_ptr<T[]> wholeCopy(const T* values, std::size_t count) {
    auto block = std::make_shared_for_overwrite<T[]>(kBlock);
    std::copy_n(values, count, block.get());
    return block;
  }
  void grow() {
    if (capacity_ == 0) {
      blocks_.push_back(std::make_shared_for_overwrite<T[]>(kShortBlock));
      capacity_ = kShortBlock;
    } else if (capacity_ == kShortBlock) {
      blocks_.front() = wholeCopy(blocks_.front().get(), kShortBlock);
      capacity_ = kBlock;
    } else {
      blocks_.push_back(std::make_shared_for_overwrite<T[]>(kBlock));
      capacity_ += kBlock;
    }
  }

  std::vector<std::shared_ptr<T[]>> blocks_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace lockstep::app
