#pragma once

#include <filesystem>
#include <string>

#include "engine/base/error.h"
#include "engine/base/image_size.h"
#include "engine/data/rgb_image.h"

namespace lockstep::data {

/// The file itself is bad: missing, without read permission, not an image, or truncated. Errors of
/// the machine, after which the same file may be readable later, are another Error (disk, network)
/// or std::bad_alloc.
class UnreadableImage : public Error {
 public:
  using Error::Error;
};

// Remedies of UnreadableImage's messages, `FILE: reason; remedy`, for files of this machine.
inline constexpr const char* kCopyAgain = "copy the file again";
inline constexpr const char* kRestoreImage = "restore the image";

/// Reads an image of an annotated dataset: greyscale, 16-bit (the upper 8 bits), palette and alpha
/// become 8-bit RGB (alpha is dropped). EXIF orientation is applied only if coco::shouldApplyExif
/// allows it. Throws UnreadableImage naming the file if it is missing, not an image, truncated, or
/// does not have the size `annotated`; other errors as above. A file that lacks only its end marker
/// is accepted, and the caller should warn once (missingEndMarkerText). Any thread; uses no threads
/// of its own.
RgbImage readAnnotatedImage(const std::filesystem::path& file, base::ImageSize annotated);

/// Reads an image without annotations and applies its EXIF orientation. Throws as
/// readAnnotatedImage().
RgbImage readImage(const std::filesystem::path& file);

/// `FILE: the end marker is missing; …`
std::string missingEndMarkerText(const std::filesystem::path& file);

/// A warning for a 16-bit file whose values use so little of the range that it is nearly black in 8
/// bits, as 12-bit cameras write them; otherwise empty.
std::string darkImageWarning(const RgbImage& image, const std::filesystem::path& file);

/// Encodes a PNG or JPEG (quality 95), by the extension of `file`, which is not written. Throws
/// Error. The same pixels give the same bytes.
std::string encodeImage(const RgbImage& image, const std::filesystem::path& file);
/// Encodes and writes `file`. Throws Error.
void writeImage(const RgbImage& image, const std::filesystem::path& file);

}  // namespace lockstep::data
