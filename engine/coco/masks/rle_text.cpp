// COCO's compressed counts string: each count minus the count two before it, in groups of five
// bits, lowest first; bit 5 of a character means that more groups follow, bit 4 of the last one is
// the sign; '0' is added to every character.
#include <cstdint>
#include <limits>
#include <string>

#include "engine/base/error.h"
#include "engine/coco/masks/rle.h"
#include "engine/coco/masks/runs.h"

namespace lockstep::coco {
namespace {

constexpr int kGroupBits = 5;
constexpr unsigned kMoreFlag = 0x20, kGroupMask = 0x1f;
constexpr char kFirstCharacter = '0';
constexpr int kMaxGroups = 8;  // 40 bits: more than the difference of two 32-bit counts needs

void appendNumber(std::int64_t value, std::string& text) {
  for (bool more = true; more;) {
    unsigned group = static_cast<unsigned>(value) & kGroupMask;
    value >>= kGroupBits;
    const bool isNegative = (group >> (kGroupBits - 1) & 1) != 0;
    more = value != (isNegative ? -1 : 0);
    if (more) group |= kMoreFlag;
    text.push_back(static_cast<char>(kFirstCharacter + group));
  }
}

std::uint8_t groupOf(char character) {
  return static_cast<std::uint8_t>(character - kFirstCharacter);
}

/// `at` is moved from the number's first character to that after its last one, which must exist.
/// False if it has too many groups.
inline bool takeNumber(const char*& at, std::int64_t& value) {
  unsigned group = groupOf(*at++);
  value = group & kGroupMask;
  int shift = kGroupBits;
  for (; group & kMoreFlag; shift += kGroupBits) {
    if (shift == kMaxGroups * kGroupBits) return false;
    group = groupOf(*at++);
    value |= static_cast<std::int64_t>(group & kGroupMask) << shift;
  }
  const std::int64_t sign = std::int64_t{1} << (shift - 1);
  value = (value ^ sign) - sign;  // without a branch: one of two numbers is negative
  return true;
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
  // The characters first, all at once, so that the numbers need no checks of them.
  std::uint8_t seen = 0;
  std::size_t numbers = 0;
  for (const char character : text) {
    const std::uint8_t group = groupOf(character);
    seen |= group;
    numbers += (group & kMoreFlag) == 0;
  }
  if (seen > (kMoreFlag | kGroupMask)) return "compressed counts contain an invalid character";
  if (!text.empty() && groupOf(text.back()) & kMoreFlag) return "compressed counts are truncated";
  rle.counts.resize(numbers);
  const char* at = text.data();
  for (std::size_t i = 0; i < numbers; ++i) {
    std::int64_t value = 0;
    if (!takeNumber(at, value)) return "compressed counts are out of range";
    if (i > 2) value += rle.counts[i - 2];
    if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
      return value < 0 ? "compressed counts contain a negative run length"
                       : "compressed counts are out of range";
    }
    rle.counts[i] = static_cast<std::uint32_t>(value);
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
