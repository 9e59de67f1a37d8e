#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::app {

/// Append-only values in blocks of equal size: growing copies nothing and wastes less than a block.
/// What a block does not hold yet is not written to, so that the system need not provide it. A copy
/// shares the blocks, and another thread may read it meanwhile: what it has is never overwritten.
template <typename T, std::size_t kBlock = 4096>
class ChunkedColumn {
 public:
  std::size_t size() const { return size_; }
  T operator[](std::size_t index) const { return blocks_[index / kBlock][index % kBlock]; }
  T back() const { return (*this)[size_ - 1]; }
  void append(T value) {
    if (size_ == blocks_.size() * kBlock)
      blocks_.push_back(std::make_shared_for_overwrite<T[]>(kBlock));
    blocks_[size_ / kBlock][size_ % kBlock] = value;
    ++size_;
  }
  /// Removes the values from index `size` on and frees their blocks.
  void truncate(std::size_t size) {
    size_ = size;
    blocks_.resize((size + kBlock - 1) / kBlock);
    if (size % kBlock == 0) return;
    // A copy may have the values that the next ones would replace.
    auto last = std::make_shared_for_overwrite<T[]>(kBlock);
    std::copy_n(blocks_.back().get(), size % kBlock, last.get());
    blocks_.back() = std::move(last);
  }
  std::size_t bytes() const { return blocks_.size() * kBlock * sizeof(T); }

 private:
  std::vector<std::shared_ptr<T[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace lockstep::app
