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

}  // namespace

std::vector<std::uint8_t> labelStudioBrush(const coco::Rle& mask) {
  const auto height = static_cast<std::size_t>(mask.height),
             width = static_cast<std::size_t>(mask.width);
  std::vector<bool> pixels(height * width);  // by rows
  coco::forEachForegroundRun(mask, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; ++at) pixels[at % height * width + at / height] = true;
  });
  BitWriter bits;
  bits.put(4 * pixels.size(), 32);
  bits.put(kWordBits - 1, 5);
  for (const int length : kLengthBits) bits.put(static_cast<std::uint64_t>(length - 1), 4);
  for (std::size_t begin = 0, end; begin < pixels.size(); begin = end) {
    end = begin;
    while (end < pixels.size() && pixels[end] == pixels[begin]) ++end;
    putRun(4 * (end - begin), pixels[begin], bits);
  }
  return bits.finish();
}

}  // namespace lockstep::formats
