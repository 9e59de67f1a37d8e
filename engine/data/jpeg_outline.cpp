// Finds what is missing in a JPEG without end marker. Markers and segments as in ITU-T T.81.
#include "engine/data/jpeg_outline.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace lockstep::data {
namespace {

constexpr std::string_view kJpegStart = "\xff\xd8\xff";
constexpr unsigned kTemporary = 0x01, kFirstRestart = 0xd0, kLastRestart = 0xd7, kStart = 0xd8,
                   kEnd = 0xd9, kScan = 0xda, kRestartInterval = 0xdd;
constexpr int kCoefficients = 64, kBlockSide = 8;

unsigned byteAt(std::string_view bytes, std::size_t position) {
  return static_cast<unsigned char>(bytes[position]);
}
unsigned wordAt(std::string_view bytes, std::size_t position) {
  return byteAt(bytes, position) << 8 | byteAt(bytes, position + 1);
}

int divideUp(int a, int b) { return (a + b - 1) / b; }

/// SOF0 … SOF15, without the three codes in that range with other meanings (DHT, JPG, DAC).
bool isFrame(unsigned code) {
  return code >= 0xc0 && code <= 0xcf && code != 0xc4 && code != 0xc8 && code != 0xcc;
}
bool isProgressive(unsigned frame) { return frame % 4 == 2; }

struct Component {
  unsigned id = 0;
  int across = 1, down = 1;  ///< sampling factors
  /// The lowest bit of each coefficient that the scans so far have coded; -1: none yet.
  std::array<int, kCoefficients> lowestBit{};
};

class Walk {
 public:
  explicit Walk(std::string_view bytes) : bytes_(bytes) {}

  JpegOutline run() {
    JpegOutline outline;
    outline.dataEnd = withoutPadding();
    std::size_t position = 2;
    while (const auto marker = nextMarker(position)) {
      const unsigned code = byteAt(bytes_, *marker);
      if (code == kEnd) {
        outline.reachesEnd = true;
        return outline;
      }
      position = *marker + 1;
      if (code >= kFirstRestart && code <= kLastRestart) ++restarts_;
      if (code <= kTemporary || (code >= kFirstRestart && code <= kStart)) continue;
      if (position + 2 > bytes_.size()) return outline;
      const std::size_t length = wordAt(bytes_, position);
      if (length < 2 || position + length > bytes_.size()) return outline;
      const std::string_view segment = bytes_.substr(position + 2, length - 2);
      if (!takeSegment(code, segment)) return outline;
      position += length;
    }
    outline.hasEveryScan = hasEveryScan();
    return outline;
  }

 private:
  /// Position of the next marker's code (the byte after 0xff). In scan data, 0xff is followed by
  /// 0x00 (byte stuffing) or a restart marker. Segments are skipped by their lengths, so that the
  /// end marker of an embedded thumbnail is not counted.
  std::optional<std::size_t> nextMarker(std::size_t position) const {
    while (position < bytes_.size()) {
      const void* found = std::memchr(bytes_.data() + position, 0xff, bytes_.size() - position);
      if (!found) return std::nullopt;
      position = static_cast<std::size_t>(static_cast<const char*>(found) - bytes_.data()) + 1;
      if (position >= bytes_.size()) return std::nullopt;
      const unsigned code = byteAt(bytes_, position);
      if (code != 0x00 && code != 0xff) return position;
    }
    return std::nullopt;
  }

  /// Trailing zeros are left in a file that was not written completely. The zero of a stuffed byte
  /// does not count.
  std::size_t withoutPadding() const {
    const std::size_t last = bytes_.find_last_not_of('\0');
    if (last == std::string_view::npos) return 0;
    return byteAt(bytes_, last) == 0xff && last + 2 <= bytes_.size() ? last + 2 : last + 1;
  }

  /// False if it is invalid.
  bool takeSegment(unsigned code, std::string_view segment) {
    if (isFrame(code)) return takeFrame(code, segment);
    if (code == kScan) return takeScan(segment);
    if (code == kRestartInterval && segment.size() >= 2)
      restartInterval_ = static_cast<int>(wordAt(segment, 0));
    return true;
  }

  bool takeFrame(unsigned code, std::string_view segment) {
    if (segment.size() < 6) return false;
    isProgressive_ = isProgressive(code);
    height_ = static_cast<int>(wordAt(segment, 1));
    width_ = static_cast<int>(wordAt(segment, 3));
    const std::size_t count = byteAt(segment, 5);
    if (segment.size() < 6 + 3 * count) return false;
    components_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      Component component{byteAt(segment, 6 + 3 * i)};
      const unsigned sampling = byteAt(segment, 7 + 3 * i);
      component.across = std::max(1, static_cast<int>(sampling >> 4));
      component.down = std::max(1, static_cast<int>(sampling & 15));
      component.lowestBit.fill(-1);
      components_.push_back(component);
    }
    return true;
  }

  bool takeScan(std::string_view segment) {
    const std::size_t count = segment.empty() ? 0 : byteAt(segment, 0);
    if (segment.size() < 4 + 2 * count) return false;
    const std::size_t rest = 1 + 2 * count;
    const int first = isProgressive_ ? static_cast<int>(byteAt(segment, rest)) : 0;
    const int last =
        isProgressive_ ? static_cast<int>(byteAt(segment, rest + 1)) : kCoefficients - 1;
    const int bit = isProgressive_ ? static_cast<int>(byteAt(segment, rest + 2) & 15) : 0;
    if (last >= kCoefficients) return false;
    scan_.clear();
    for (std::size_t i = 0; i < count; ++i) {
      const unsigned id = byteAt(segment, 1 + 2 * i);
      const auto found = std::ranges::find(components_, id, &Component::id);
      if (found == components_.end()) return false;
      for (int k = first; k <= last; ++k) found->lowestBit[static_cast<std::size_t>(k)] = bit;
      scan_.push_back(*found);
    }
    restarts_ = 0;
    return true;
  }

  bool hasEveryScan() const {
    if (components_.empty() || scan_.empty()) return false;
    for (const Component& component : components_) {
      if (std::ranges::any_of(component.lowestBit, [](int bit) { return bit != 0; })) return false;
    }
    return restartInterval_ == 0 || restarts_ == divideUp(unitsOfScan(), restartInterval_) - 1;
  }

  /// The number of MCUs: blocks of a single component, else interleaved groups of all.
  int unitsOfScan() const {
    int mostAcross = 1, mostDown = 1;
    for (const Component& component : components_) {
      mostAcross = std::max(mostAcross, component.across);
      mostDown = std::max(mostDown, component.down);
    }
    const bool isAlone = scan_.size() == 1;
    const int across = isAlone ? scan_[0].across : 1, down = isAlone ? scan_[0].down : 1;
    const int columns = isAlone ? divideUp(divideUp(width_ * across, mostAcross), kBlockSide)
                                : divideUp(width_, kBlockSide * mostAcross);
    const int rows = isAlone ? divideUp(divideUp(height_ * down, mostDown), kBlockSide)
                             : divideUp(height_, kBlockSide * mostDown);
    return columns * rows;
  }

  std::string_view bytes_;
  int width_ = 0, height_ = 0;  ///< px
  bool isProgressive_ = false;
  std::vector<Component> components_;
  std::vector<Component> scan_;  ///< those of the last scan
  int restartInterval_ = 0;      ///< 0: none
  int restarts_ = 0;             ///< of the last scan, so far
};

}  // namespace

std::optional<JpegOutline> outlineOfJpeg(std::string_view bytes) {
  if (!bytes.starts_with(kJpegStart)) return std::nullopt;
  return Walk(bytes).run();
}

}  // namespace lockstep::data
