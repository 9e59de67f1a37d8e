#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/image_size.h"

namespace lockstep::dataset_check {

inline constexpr int kThumbnailSide = 64;

/// An image scaled to 64 x 64 px, each of the mean of what it covers: grey, row-major.
using Thumbnail = std::array<std::uint8_t, std::size_t{kThumbnailSide} * kThumbnailSide>;

/// A grey image in memory.
template <typename Value>
struct GreyPixels {
  const Value* values = nullptr;
  int width = 0, height = 0;     ///< px
  std::ptrdiff_t rowStride = 0;  ///< values
};
Thumbnail thumbnailOf(const GreyPixels<std::uint8_t>& pixels);
/// Its brightest pixel becomes 255: of 16 bits many cameras use 12.
Thumbnail thumbnailOf(const GreyPixels<std::uint16_t>& pixels);

inline constexpr int kBlockSidePx = 8;

/// The means of blocks of 8 x 8 px of an image scaled to `size`, row-major; the last of each row
/// and column end at its edge. Blocks begin where those of JPEG do, whose means hardly change with
/// the quality.
std::vector<std::uint8_t> blockMeansOf(const GreyPixels<std::uint8_t>& pixels,
                                       base::ImageSize size);
/// With the brightness of the thumbnail.
std::vector<std::uint8_t> blockMeansOf(const GreyPixels<std::uint16_t>& pixels,
                                       base::ImageSize size);

enum class PictureState : std::uint8_t {
  Usable,
  Turned,  ///< usable; only its EXIF orientation makes its size the annotated one
  Missing,
  Unreadable,
  Truncated,
  WrongSize
};

/// An image file.
struct Picture {
  PictureState state = PictureState::Usable;
  std::string problem{};     ///< unless it is usable: what is wrong and how to fix it
  base::ImageSize stored{};  ///< without its EXIF orientation; 0 x 0: it could not be decoded
  int exifOrientation = 1;   ///< 1: as stored; 0: it is turned, how is not known
  std::unique_ptr<Thumbnail> thumbnail{};        ///< null: it could not be decoded
  std::unique_ptr<Thumbnail> storedThumbnail{};  ///< if it is turned: of the pixels as stored
};

/// Decodes images, which this folder cannot.
class PictureReader {
 public:
  virtual ~PictureReader() = default;
  /// Decodes all of the file. `annotated`: its size in the annotations. Throws Error only for
  /// errors of the machine. Thread-safe.
  virtual Picture read(const std::filesystem::path& file, base::ImageSize annotated) const = 0;
  /// The blocks of a file scaled to `scaled`, in the orientation in which it has the size `size`:
  /// as stored if it has it so. Empty: it cannot be decoded any more. Throws as read().
  /// Thread-safe.
  virtual std::vector<std::uint8_t> readBlocks(const std::filesystem::path& file,
                                               base::ImageSize size,
                                               base::ImageSize scaled) const = 0;
};

}  // namespace lockstep::dataset_check
