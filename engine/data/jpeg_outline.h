#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lockstep::data {

/// The segment structure of a JPEG file.
struct JpegOutline {
  bool reachesEnd = false;  ///< has its end marker (EOI)
  /// If the end marker is missing: every scan of the image has started, and the last one has all of
  /// its restart markers. Whether its last data are complete is found by decoding.
  bool hasEveryScan = false;
  std::size_t dataEnd = 0;  ///< past the last byte that is not padding
};

/// Nothing if the bytes are not a JPEG.
std::optional<JpegOutline> outlineOfJpeg(std::string_view bytes);

}  // namespace lockstep::data
