#include "app/metrics/step_column.h"

#include <algorithm>
#include <limits>

namespace lockstep::app {
namespace {

bool fitsInAnOffset(std::int64_t distance) {
  return distance >= std::numeric_limits<std::int32_t>::min() &&
         distance <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

template <typename T>
std::shared_ptr<T[]> StepColumn::ownCopy(const T* steps) {
  auto copy = std::make_shared<T[]>(kBlock);
  std::copy_n(steps, kBlock, copy.get());
  return copy;
}

void StepColumn::append(std::int64_t step) {
  if (size_ % kBlock == 0) blocks_.emplace_back();
  store(blocks_.back(), size_ % kBlock, step);
  ++size_;
}

void StepColumn::store(Block& block, std::size_t at, std::int64_t step) {
  if (at == 0) {
    block.first = step;
    return;
  }
  const bool isPlain = !block.offsets && !block.wide;
  if (isPlain && at == 1) block.stride = step - block.first;
  if (isPlain && step == block.first + static_cast<std::int64_t>(at) * block.stride) return;
  if (isPlain) {
    block.offsets = std::make_shared<std::int32_t[]>(kBlock);
    for (std::size_t i = 0; i < at; ++i) {
      const std::int64_t offset = static_cast<std::int64_t>(i) * block.stride;
      if (!fitsInAnOffset(offset)) {
        block.offsets.reset();
        break;
      }
      block.offsets[i] = static_cast<std::int32_t>(offset);
    }
  }
  if (block.offsets && fitsInAnOffset(step - block.first)) {
    block.offsets[at] = static_cast<std::int32_t>(step - block.first);
    return;
  }
  if (!block.wide) {
    auto wide = std::make_shared<std::int64_t[]>(kBlock);
    for (std::size_t i = 0; i < at; ++i)
      wide[i] = block.first +
                (block.offsets ? block.offsets[i] : static_cast<std::int64_t>(i) * block.stride);
    block.offsets.reset();
    block.wide = std::move(wide);
  }
  block.wide[at] = step;
}

void StepColumn::truncate(std::size_t size) {
  if (size >= size_) return;
  size_ = size;
  blocks_.resize((size + kBlock - 1) / kBlock);
  if (size == 0) return;
  // A copy may have the steps that the next ones would replace.
  Block& last = blocks_.back();
  if (last.offsets) last.offsets = ownCopy(last.offsets.get());
  if (last.wide) last.wide = ownCopy(last.wide.get());
}

std::size_t StepColumn::bytes() const {
  std::size_t bytes = blocks_.capacity() * sizeof(Block);
  for (const Block& block : blocks_) {
    if (block.offsets) bytes += kBlock * sizeof(std::int32_t);
    if (block.wide) bytes += kBlock * sizeof(std::int64_t);
  }
  return bytes;
}

}  // namespace lockstep::app
