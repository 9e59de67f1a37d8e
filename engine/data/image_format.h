#pragma once

#include <string>
#include <string_view>

namespace lockstep::data {

/// What the first bytes of a file say that it is.
struct ImageFormat {
  bool isKnown = false;  ///< JPEG, PNG, BMP, TIFF or WebP of one frame
  std::string unread;  ///< an image that is not read: `is a GIF`, `holds several frames (animated)`
};

ImageFormat formatOf(std::string_view fileBytes);

}  // namespace lockstep::data
