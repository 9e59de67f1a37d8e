// COCO's compressed counts string: each count minus the count two before it, in groups of five
// bits, lowest first; bit 5 of a character means that more groups follow, bit 4 of the last one is
// the sign; '0' is added to every character.
#include <algorithm>
#include <limits>
#include <string>

#include "engine/base/error.h"
#include "engine/coco/masks/rle.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

constexpr int kGroupBits = 5;
constexpr unsigned kMoreFlag = 0x20, kSignFlag = 0x10, kGroupMask = 0x1f;
constexpr char kFirstCharacter = '0';
constexpr int kMaxGroups = 8;  // 40 bits: more than the difference of two 32-bit counts needs

void appendNumber(std::int64_t value, std::string& text) {
  for (bool more = true; more;) {
    unsigned group = static_cast<unsigned>(value) & kGroupMask;
    value >>= kGroupBits;
    more = (group & kSignFlag) ? value != -1 : value != 0;
    if (more) group |= kMoreFlag;
    text.push_back(static_cast<char>(kFirstCharacter + group));
  }
}

}  // namespace

std::string compressCounts(const Rle& rle) {
  std::string text;
  text.reserve(rle.counts.size() * 2);
  for (std::size_t i = 0; i < rle.counts.size(); ++i) {
    std::int64_t value = rle.counts[i];
    if (i > 2) value -= rle.counts[i - 2];
    appendNumber(value, text);
  }
  return text;
}

const char* readCounts(std::string_view text, Rle& rle) {
  const auto isLast = [](char character) {
    return ((static_cast<unsigned char>(character) - static_cast<unsigned>(kFirstCharacter)) &
            kMoreFlag) == 0;
  };
  rle.counts.resize(static_cast<std::size_t>(std::count_if(text.begin(), text.end(), isLast)));
  std::size_t index = 0;
  for (std::size_t at = 0; at < text.size(); ++index) {
    std::int64_t value = 0;
    unsigned group = kMoreFlag;
    int shift = 0;
    for (; group & kMoreFlag; shift += kGroupBits) {
      if (at == text.size()) return "compressed counts are truncated";
      group = static_cast<unsigned char>(text[at++]) - static_cast<unsigned>(kFirstCharacter);
      if (group > (kMoreFlag | kGroupMask)) {
        return "compressed counts contain an invalid character";
      }
      if (shift >= kMaxGroups * kGroupBits) return "compressed counts are out of range";
      value |= static_cast<std::int64_t>(group & kGroupMask) << shift;
    }
    if (group & kSignFlag) value |= -(std::int64_t{1} << shift);
    if (index > 2) value += rle.counts[index - 2];
    if (value < 0) return "compressed counts contain a negative run length";
    if (value > std::numeric_limits<std::uint32_t>::max()) {
      return "compressed counts are out of range";
    }
    rle.counts[index] = static_cast<std::uint32_t>(value);
  }
  return nullptr;
}

const char* countsError(const Rle& rle) {
  std::uint64_t sum = 0;
  for (std::uint32_t count : rle.counts) sum += count;
  return sum == pixelCount(rle) ? nullptr : "counts do not sum to height x width";
}

namespace {

void throwIf(const char* error, const Rle& rle) {
  if (error == nullptr) return;
  throw Error("RLE of " + std::to_string(rle.height) + " x " + std::to_string(rle.width) +
              " px: " + error);
}

}  // namespace

void checkCounts(const Rle& rle) { throwIf(countsError(rle), rle); }

Rle decompressCounts(std::string_view text, int height, int width) {
  Rle rle{height, width, {}};
  throwIf(readCounts(text, rle), rle);
  checkCounts(rle);
  return rle;
}

}  // namespace lockstep::coco
