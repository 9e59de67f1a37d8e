#include "engine/data/image_markers.h"

#include <cstdint>
#include <cstring>

namespace lockstep::data {
namespace {

constexpr std::string_view kJpegStart = "\xff\xd8\xff";
constexpr std::string_view kPngStart = "\x89PNG\r\n\x1a\n";

unsigned byteAt(std::string_view bytes, std::size_t position) {
  return static_cast<unsigned char>(bytes[position]);
}

/// Position of the next marker's code (the byte after 0xff), npos without one. Inside entropy-coded
/// data a 0xff stands before 0x00 (a stuffed byte) or a restart marker; neither is a marker to stop
/// at.
std::size_t nextMarker(std::string_view bytes, std::size_t position) {
  while (position < bytes.size()) {
    const void* found = std::memchr(bytes.data() + position, 0xff, bytes.size() - position);
    if (!found) return std::string_view::npos;
    position = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + 1;
    if (position >= bytes.size()) return std::string_view::npos;
    const unsigned code = byteAt(bytes, position);
    const bool isRestart = code >= 0xd0 && code <= 0xd7;
    if (code != 0x00 && code != 0xff && !isRestart) return position;
  }
  return std::string_view::npos;
}

/// Walks the segments; the lengths of headers are skipped, so that the end marker of a thumbnail in
/// them does not count.
bool jpegReachesEnd(std::string_view bytes) {
  constexpr unsigned kEnd = 0xd9, kTemporary = 0x01, kStart = 0xd8;
  std::size_t position = 2;
  while (true) {
    const std::size_t marker = nextMarker(bytes, position);
    if (marker == std::string_view::npos) return false;
    const unsigned code = byteAt(bytes, marker);
    if (code == kEnd) return true;
    position = marker + 1;
    if (code == kTemporary || code == kStart) continue;
    if (position + 2 > bytes.size()) return false;
    position += byteAt(bytes, position) << 8 | byteAt(bytes, position + 1);
  }
}

bool pngReachesEnd(std::string_view bytes) {
  std::size_t position = kPngStart.size();
  while (position + 12 <= bytes.size()) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | byteAt(bytes, position + i);
    const bool isEnd = bytes.substr(position + 4, 4) == "IEND";
    if (length > bytes.size() - position - 12) return false;
    if (isEnd) return true;
    position += length + 12;
  }
  return false;
}

}  // namespace

bool reachesEndMarker(std::string_view fileBytes) {
  if (fileBytes.starts_with(kJpegStart)) return jpegReachesEnd(fileBytes);
  if (fileBytes.starts_with(kPngStart)) return pngReachesEnd(fileBytes);
  return true;
}

}  // namespace lockstep::data
