#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lockstep::data {

/// What the segments of a JPEG file say.
struct JpegOutline {
  bool reachesEnd = false;  ///< its end marker is there
  /// Where the end marker is wanting: every scan that the image needs has begun, and of the last
  /// one every restart marker is there. Whether its last data are, decoding tells.
  bool hasEveryScan = false;
  std::size_t dataEnd = 0;  ///< behind the last byte that is no padding
};

/// Nothing for bytes that are no JPEG.
std::optional<JpegOutline> outlineOfJpeg(std::string_view bytes);

}  // namespace lockstep::data
