#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

/// Format, size and orientation from the header of an image file.
namespace lockstep::base {

struct ImageHeader {
  const char* mime = "";
  int width = 0, height = 0;    ///< px as stored; 0: unknown
  int exifOrientation = 1;      ///< 1 … 8; 1: as stored
  bool exifSwapsSides = false;  ///< orientation 5 to 8: rotated by 90 degrees
};

/// From a file's bytes, of which the first kilobytes are mostly enough. Nothing for a format that
/// browsers do not display. A size of 0 also of a WebP whose orientation comes later, or of a PNG
/// whose pixels do; an orientation behind these is seen where it is among the bytes.
std::optional<ImageHeader> readImageHeader(std::string_view fileBytes);

/// Of a whole BMP, JPEG, PNG, TIFF or WebP, as its header says; 0: unknown.
std::int64_t pixelsOf(std::string_view fileBytes);

}  // namespace lockstep::base
