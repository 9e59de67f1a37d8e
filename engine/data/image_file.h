#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/error.h"
#include "engine/base/image_size.h"

namespace lockstep::data {

/// A decoded picture: 8-bit RGB, row by row without gaps.
struct RgbImage {
  int width = 0, height = 0;               ///< px
  std::unique_ptr<std::uint8_t[]> pixels;  ///< [height, width, 3]
  int highestOf16Bits = 0;                 ///< largest value of a 16-bit file; 0: it is of 8 bits
  bool lacksEnd = false;                   ///< its file lacks the end marker, and nothing else

  RgbImage() = default;
  /// Pixels are not initialised.
  RgbImage(int widthPx, int heightPx);
  base::ImageSize size() const { return {height, width}; }
};

/// What is wrong with a file itself: it is not there, may not be read, or is no whole image. What
/// the machine fails at is no such fault, as the same file may be read a moment later: another
/// Error (its disk, its network), std::bad_alloc (its memory).
class UnreadableImage : public Error {
 public:
  using Error::Error;
};

/// Reads an image of an annotated data set: grey, 16-bit (the upper 8), palette and alpha become
/// 8-bit RGB (alpha is dropped). Turned by EXIF only where coco::shouldApplyExif says so. Throws
/// UnreadableImage naming the file: not there, no image, cut off, or of another size than
/// `annotated`; else as said above. A file that lacks no more than its end marker is
/// whole: whoever reads it says so once (lacksEndText). Any thread; uses none of its own.
RgbImage readAnnotatedImage(const std::filesystem::path& file, base::ImageSize annotated);

/// Reads an image that has no annotations, turned as its EXIF orientation says. Throws as
/// readAnnotatedImage().
RgbImage readImage(const std::filesystem::path& file);

/// `FILE: its end marker is missing; …`
std::string lacksEndText(const std::filesystem::path& file);

/// What to say of a 16-bit file whose values fill so little of their range that it is nearly black
/// in 8 bits, as 12-bit cameras write them; empty: nothing.
std::string darkness(const RgbImage& image, const std::filesystem::path& file);

/// The bytes of a PNG or JPEG (by the ending of `file`, which is not touched; quality 95). Throws
/// Error. The same pixels give the same bytes.
std::string encodeImage(const RgbImage& image, const std::filesystem::path& file);
/// Writes them. Throws Error.
void writeImage(const RgbImage& image, const std::filesystem::path& file);

}  // namespace lockstep::data
