#include "engine/ops/paste_masks.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "engine/ops/cpu/vector_clones.h"
#include "engine/ops/paste_window.h"
#include "engine/ops/spare_threads.h"

namespace lockstep::ops {
namespace {

/// Builds runs from the positions where pixels change, in order.
class RunWriter {
 public:
  /// Pixels have this value from `place` on.
  void turn(bool inside, std::int64_t place) {
    if (inside == inside_) return;
    runs_.push_back(static_cast<std::uint32_t>(place - from_));
    from_ = place;
    inside_ = inside;
  }
  /// Pixels (0 or 1) that begin at `place`.
  void add(const std::uint8_t* pixels, std::int64_t count, std::int64_t place) {
    for (std::int64_t i = 0; i < count;) {
      i += countOf(inside_, pixels + i, count - i);
      if (i < count) turn(!inside_, place + i);
    }
  }
  MaskRuns finish(std::int64_t pixels) {
    runs_.push_back(static_cast<std::uint32_t>(pixels - from_));
    return std::move(runs_);
  }

 private:
  /// How many there are of one kind before the first of the other; eight at a time.
  static std::int64_t countOf(bool kind, const std::uint8_t* pixels, std::int64_t count) {
    const std::uint64_t eight = kind ? 0x0101010101010101ULL : 0;
    std::int64_t i = 0;
    for (; i + 8 <= count; i += 8) {
      std::uint64_t word;
      std::memcpy(&word, pixels + i, sizeof word);
      if (word == eight) continue;
      static_assert(std::endian::native == std::endian::little);
      return i + std::countr_zero(word ^ eight) / 8;
    }
    while (i < count && pixels[i] == static_cast<std::uint8_t>(kind)) ++i;
    return i;
  }

  MaskRuns runs_;
  std::int64_t from_ = 0;
  bool inside_ = false;
};

LOCKSTEP_VECTOR_CLONES
void thresholdColumn(const float* low, const float* high, float fraction, std::int64_t count,
                     std::uint8_t* out) {
  for (std::int64_t y = 0; y < count; ++y)
    out[y] = lerp(low[y], high[y], fraction) > kMaskThreshold;
}

/// The columns of the small mask with its border, interpolated to the rows of the window.
class StretchedColumns {
 public:
  StretchedColumns(const float* probs, std::int32_t side, const PasteSpan& rows)
      : length_(rows.length), values_((side + 2) * length_, 0.0f), largest_(side + 2, 0.0f) {
    for (std::int64_t y = 0; y < length_; ++y) {
      const Lerp row = lerpAt(rows.begin + y - rows.origin, side + 2, rows.full);
      for (std::int32_t column = 1; column <= side; ++column) {
        const auto probability = [&](std::int32_t of) {
          return of == 0 || of > side ? 0.0f : probs[(of - 1) * side + column - 1];
        };
        const float value = lerp(probability(row.low), probability(row.high), row.fraction);
        values_[column * length_ + y] = value;
        largest_[column] = std::max(largest_[column], value);
      }
    }
  }
  const float* operator[](std::int32_t column) const { return values_.data() + column * length_; }
  /// Whether pixels between these two may be inside.
  bool mayBeInside(const Lerp& columns) const {
    return largest_[columns.low] > kMaskThreshold || largest_[columns.high] > kMaskThreshold;
  }

 private:
  std::int64_t length_;
  std::vector<float> values_, largest_;
};

MaskRuns pasteMask(const float* probs, std::int32_t side, const float* box,
                   const base::ImageSize& size) {
  const auto [columns, rows] = pasteWindow(box, pasteGrowth(side), size.height, size.width);
  RunWriter runs;
  if (columns.length > 0 && rows.length > 0) {
    const StretchedColumns stretched(probs, side, rows);
    std::vector<std::uint8_t> pixels(rows.length);
    for (std::int64_t x = columns.begin; x < columns.begin + columns.length; ++x) {
      const Lerp column = lerpAt(x - columns.origin, side + 2, columns.full);
      const std::int64_t place = x * size.height;
      const bool isEmpty = !stretched.mayBeInside(column);
      if (isEmpty || rows.begin > 0) runs.turn(false, place);
      if (isEmpty) continue;
      thresholdColumn(stretched[column.low], stretched[column.high], column.fraction, rows.length,
                      pixels.data());
      runs.add(pixels.data(), rows.length, place + rows.begin);
      const std::int64_t end = rows.begin + rows.length;
      if (end < size.height) runs.turn(false, place + end);
    }
    const std::int64_t end = columns.begin + columns.length;
    if (end < size.width) runs.turn(false, end * size.height);
  }
  return runs.finish(size.height * size.width);
}

}  // namespace

std::vector<MaskRuns> cpu::pasteMasks(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                      const base::ImageSize& size) {
  const std::int64_t side = probs.size(1);
  std::vector<MaskRuns> runs(probs.size(0));
  const OnSpareThreads threads;
  at::parallel_for(0, probs.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t d = begin; d < end; ++d) {
      runs[d] = pasteMask(probs.const_data_ptr<float>() + d * side * side,
                          static_cast<std::int32_t>(side),
                          boxesXyxy.const_data_ptr<float>() + 4 * d, size);
    }
  });
  return runs;
}

}  // namespace lockstep::ops
