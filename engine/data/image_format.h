#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What the bytes of an image file say before it is decoded.
namespace lockstep::data {

/// What the first bytes of a file say that it is.
struct ImageFormat {
  bool isKnown = false;  ///< JPEG, PNG, BMP, TIFF or WebP of one frame
  std::string unread;  ///< an image that is not read: `is a GIF`, `holds several frames (animated)`
};

ImageFormat formatOf(std::string_view fileBytes);

/// The end of a JPEG or PNG file. Decoders fill what is missing with grey and say nothing.
struct ImageEnd {
  bool isThere = true;  ///< other formats: their decoders complain themselves
  /// Where it is wanting, and as far as the file's structure says nothing else is: the file with
  /// the end marker. Several: what stands for data that may be missing before it differs, and the
  /// file is whole when all decode to the same pixels. None: it is cut off.
  std::vector<std::string> completed;
};

/// What lies behind the end marker does not count.
ImageEnd endOf(std::string_view fileBytes);

}  // namespace lockstep::data
