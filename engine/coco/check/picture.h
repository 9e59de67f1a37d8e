#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/image_size.h"

namespace lockstep::coco {

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
  int exifOrientation = 1;   ///< if it is turned; 0: not known
  std::unique_ptr<Thumbnail> thumbnail{};  ///< null: it could not be decoded
};

/// Decodes images, which this folder cannot.
class PictureReader {
 public:
  virtual ~PictureReader() = default;
  /// Decodes all of the file. `annotated`: its size in the annotations. Throws Error only for
  /// errors of the machine. Thread-safe.
  virtual Picture read(const std::filesystem::path& file, base::ImageSize annotated) const = 0;
};

}  // namespace lockstep::coco
