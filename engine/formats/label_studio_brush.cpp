#include "engine/formats/label_studio_brush.h"

#include <algorithm>
#include <array>

#include "engine/coco/masks/runs.h"

namespace lockstep::formats {
namespace {

constexpr int kWordBits = 8;
/// Bits of a run's length less one.
constexpr std::array<int, 4> kLengthBits{4, 8, 12, 16};
constexpr std::uint64_t kLongestRun = std::uint64_t{1} << kLengthBits.back();

class BitWriter {
 public:
  /// The lowest `bits` of the value, highest first.
  void put(std::uint64_t value, int bits) {
    for (int bit = bits - 1; bit >= 0; --bit) {
      if (at_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() =
          static_cast<std::uint8_t>(bytes_.back() | (value >> bit & 1U) << (7 - at_ % 8));
      ++at_;
    }
  }
  std::vector<std::uint8_t> finish() { return std::move(bytes_); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

void putRun(std::uint64_t words, bool isForeground, BitWriter& bits) {
  while (words > 0) {
    const std::uint64_t length = std::min(words, kLongestRun);
    std::size_t which = 0;
    while ((length - 1) >> kLengthBits[which] > 0) ++which;
    bits.put(1, 1);  // one word, repeated
    bits.put(which, 2);
    bits.put(length - 1, kLengthBits[which]);
    bits.put(isForeground ? 255 : 0, kWordBits);
    words -= length;
  }
}

/// Pixels by rows; those that follow each other with one value are a run.
class PixelWriter {
 public:
  explicit PixelWriter(BitWriter& bits) : bits_(bits) {}
  void add(bool isForeground, std::uint64_t pixels) {
    if (pixels == 0) return;
    if (isForeground != isForeground_) flush();
    isForeground_ = isForeground;
    pixels_ += pixels;
    written_ += pixels;
  }
  void flush() {
    putRun(4 * pixels_, isForeground_, bits_);
    pixels_ = 0;
  }
  std::uint64_t written() const { return written_; }

 private:
  BitWriter& bits_;
  bool isForeground_ = false;
  std::uint64_t pixels_ = 0, written_ = 0;
};

/// Those within the box, by rows.
std::vector<bool> pixelsIn(const coco::PixelBox& box, const coco::Rle& mask) {
  const auto width = static_cast<std::size_t>(box.x1 - box.x0);
  std::vector<bool> pixels(width * static_cast<std::size_t>(box.y1 - box.y0));
  coco::ColumnCursor cursor(mask.height);
  coco::forEachForegroundRun(mask, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; ++at) {
      cursor.seek(at);
      pixels[static_cast<std::size_t>(cursor.row() - box.y0) * width +
             static_cast<std::size_t>(cursor.column() - box.x0)] = true;
    }
  });
  return pixels;
}

}  // namespace

std::vector<std::uint8_t> labelStudioBrush(const coco::Rle& mask) {
  const auto width = static_cast<std::uint64_t>(mask.width);
  const std::uint64_t all = width * static_cast<std::uint64_t>(mask.height);
  BitWriter bits;
  bits.put(4 * all, 32);
  bits.put(kWordBits - 1, 5);
  for (const int length : kLengthBits) bits.put(static_cast<std::uint64_t>(length - 1), 4);
  const coco::PixelBox box = coco::boundingPixels(mask);
  const std::vector<bool> pixels = pixelsIn(box, mask);
  PixelWriter writer(bits);
  std::size_t at = 0;
  for (int y = box.y0; y < box.y1; ++y) {
    const std::uint64_t begin =
        static_cast<std::uint64_t>(y) * width + static_cast<std::uint64_t>(box.x0);
    writer.add(false, begin - writer.written());
    for (int x = box.x0; x < box.x1; ++x) writer.add(pixels[at++], 1);
  }
  writer.add(false, all - writer.written());
  writer.flush();
  return bits.finish();
}

}  // namespace lockstep::formats
