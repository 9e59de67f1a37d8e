// Converts between row-major pixels and column-major runs: 64 columns at a time, one bit per pixel.
#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/coco/masks/rle.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

constexpr int kBlockColumns = 64;
static_assert(std::endian::native == std::endian::little, "byte k is at bits 8k … 8k+7");

/// Bit k of the result is set when byte k of the word is not zero.
std::uint64_t nonzeroBytes(std::uint64_t word) {
  constexpr std::uint64_t kLow7 = 0x7f7f7f7f7f7f7f7fULL;
  const std::uint64_t ones = ((((word & kLow7) + kLow7) | word) & ~kLow7) >> 7;
  return (ones * 0x0102040810204080ULL) >> 56;
}

/// Byte k of the result is bit k of the lowest byte.
std::uint64_t bitsToBytes(std::uint64_t bits) {
  const std::uint64_t spread = (bits & 0xff) * 0x0101010101010101ULL & 0x8040201008040201ULL;
  return ((spread + 0x7f7f7f7f7f7f7f7fULL) >> 7) & 0x0101010101010101ULL;
}

std::uint64_t readRowBits(const std::uint8_t* row, int columns) {
  std::uint64_t bits = 0;
  int x = 0;
  for (; x + 8 <= columns; x += 8) {
    std::uint64_t word;
    std::memcpy(&word, row + x, 8);
    if (word != 0) bits |= nonzeroBytes(word) << x;
  }
  for (; x < columns; ++x) bits |= static_cast<std::uint64_t>(row[x] != 0) << x;
  return bits;
}

void writeRowBits(std::uint8_t* row, int columns, std::uint64_t bits) {
  int x = 0;
  for (; x + 8 <= columns; x += 8) {
    const std::uint64_t word = bitsToBytes(bits >> x);
    std::memcpy(row + x, &word, 8);
  }
  for (; x < columns; ++x) row[x] = bits >> x & 1;
}

/// Collects the runs of one block of columns as the rows at which a column's pixels change, then
/// writes the block's rows.
class BlockPainter {
 public:
  BlockPainter(int height, int width)
      : height_(height), width_(width), pixels_(std::size_t(height) * width), toggles_(height) {}

  void paint(int column, int rowBegin, int rowEnd) {
    if (column / kBlockColumns != block_) flush();
    block_ = column / kBlockColumns;
    dirty_ = true;
    const std::uint64_t bit = 1ULL << column % kBlockColumns;
    toggles_[rowBegin] ^= bit;
    if (rowEnd < height_) toggles_[rowEnd] ^= bit;
  }

  std::vector<std::uint8_t> finish() {
    flush();
    return std::move(pixels_);
  }

 private:
  void flush() {
    if (!dirty_) return;
    const int x0 = block_ * kBlockColumns;
    std::uint64_t bits = 0;
    for (int y = 0; y < height_; ++y) {
      bits ^= toggles_[y];
      toggles_[y] = 0;
      if (bits == 0) continue;
      writeRowBits(&pixels_[std::size_t(y) * width_ + x0], std::min(kBlockColumns, width_ - x0),
                   bits);
    }
    dirty_ = false;
  }

  int height_, width_, block_ = 0;
  bool dirty_ = false;
  std::vector<std::uint8_t> pixels_;
  std::vector<std::uint64_t> toggles_;  ///< per row, a bit for each column that changes there
};

/// The pixels of a box that contains every run, row-major.
std::vector<std::uint8_t> paintWithin(const Rle& rle, const PixelBox& box) {
  BlockPainter painter(box.y1 - box.y0, box.x1 - box.x0);
  ColumnCursor cursor(rle.height);
  forEachForegroundRun(rle, [&](std::uint64_t begin, std::uint64_t end) {
    while (begin < end) {
      cursor.seek(begin);
      const int rows = static_cast<int>(std::min<std::uint64_t>(
          end - begin, static_cast<std::uint64_t>(rle.height - cursor.row())));
      const int top = cursor.row() - box.y0;
      painter.paint(cursor.column() - box.x0, top, top + rows);
      begin += static_cast<std::uint64_t>(rows);
    }
  });
  return painter.finish();
}

}  // namespace

Rle encodeMask(const std::uint8_t* mask, int height, int width, std::ptrdiff_t rowStride) {
  RunWriter writer(height, width);
  if (height == 0 || width == 0) return writer.finish();
  std::array<std::vector<int>, kBlockColumns> changes;  // rows at which each column changes
  std::uint64_t carry = 0;                              // last pixel of the column before
  for (int x0 = 0; x0 < width; x0 += kBlockColumns) {
    const int columns = std::min(kBlockColumns, width - x0);
    const std::uint64_t used = ~0ULL >> (kBlockColumns - columns);
    const std::uint64_t lastRow = readRowBits(mask + (height - 1) * rowStride + x0, columns);
    std::uint64_t above = lastRow << 1 | carry;  // above row 0 lies the end of the column before
    for (int y = 0; y < height; ++y) {
      const std::uint64_t row = readRowBits(mask + y * rowStride + x0, columns);
      for (std::uint64_t bits = (row ^ above) & used; bits != 0; bits &= bits - 1) {
        changes[std::countr_zero(bits)].push_back(y);
      }
      above = row;
    }
    carry = lastRow >> (columns - 1) & 1;
    for (int x = 0; x < columns; ++x) {
      for (int y : changes[x]) writer.flipAt(static_cast<std::uint64_t>(x0 + x) * height + y);
      changes[x].clear();
    }
  }
  return writer.finish();
}

std::vector<std::uint8_t> decodeMask(const Rle& rle) {
  checkCounts(rle);
  return paintWithin(rle, {0, 0, rle.width, rle.height});
}

MaskCrop crop(const Rle& rle) {
  checkCounts(rle);
  const PixelBox box = boundingPixels(rle);
  return {box.x0, box.y0, box.x1 - box.x0, box.y1 - box.y0, paintWithin(rle, box)};
}

}  // namespace lockstep::coco
