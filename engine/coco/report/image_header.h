#pragma once

#include <optional>
#include <string_view>

/// What the first bytes of an image file say. Used by this folder alone.
namespace lockstep::coco::report {

struct ImageHeader {
  const char* mime = "";
  int width = 0, height = 0;    ///< px as stored; 0: not looked at
  bool exifSwapsSides = false;  ///< its orientation tag turns it by a quarter
};

/// Nothing: no format that browsers show. Sizes and orientation are read of PNG and JPEG.
std::optional<ImageHeader> readImageHeader(std::string_view fileBytes);

}  // namespace lockstep::coco::report
