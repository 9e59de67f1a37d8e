#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace lockstep::app {

/// Append-only values in blocks of equal size: growing copies nothing and wastes less than a block.
/// What a block does not hold yet is not written to, so that the system need not provide it.
template <typename T, std::size_t kBlock = 4096>
class ChunkedColumn {
 public:
  std::size_t size() const { return size_; }
  T operator[](std::size_t index) const { return blocks_[index / kBlock][index % kBlock]; }
  T back() const { return (*this)[size_ - 1]; }
  void append(T value) {
    if (size_ == blocks_.size() * kBlock)
      blocks_.push_back(std::make_unique_for_overwrite<T[]>(kBlock));
    blocks_[size_ / kBlock][size_ % kBlock] = value;
    ++size_;
  }
  /// Removes the values from index `size` on and frees their blocks.
  void truncate(std::size_t size) {
    size_ = size;
    blocks_.resize((size + kBlock - 1) / kBlock);
  }
  std::size_t bytes() const { return blocks_.size() * kBlock * sizeof(T); }

 private:
  std::vector<std::unique_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace lockstep::app
