#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The format of an image file, from its bytes, without decoding.
namespace lockstep::data {

/// The format by the first bytes of a file.
struct ImageFormat {
  bool isKnown = false;  ///< JPEG, PNG, BMP, TIFF or single-frame WebP
  std::string
      unsupported;  ///< an unsupported format: `is a GIF`, `contains several frames (animated)`
};

ImageFormat formatOf(std::string_view fileBytes);

/// The end of a JPEG or PNG file. Decoders silently fill missing data with grey.
struct ImageEnd {
  bool isPresent = true;  ///< also for other formats, whose decoders report truncation themselves
  /// If the end marker is missing and the file's structure is otherwise complete: the file with an
  /// end marker added. There are several when image data may be missing before it, each with
  /// another filler; the image is complete if all decode to the same pixels. Empty: the file is
  /// truncated.
  std::vector<std::string> completed;
};

/// Bytes after the end marker are ignored.
ImageEnd endOf(std::string_view fileBytes);

}  // namespace lockstep::data
