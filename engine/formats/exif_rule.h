#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/enum_text.h"
#include "engine/formats/format.h"
#include "engine/formats/source.h"

/// Which pixels annotations are of, where the EXIF orientation turns or mirrors a picture: of the
/// picture as displayed or as stored. The first of these that says it:
/// 1. the annotated size, if the orientation swaps the sides. Objects that fit the displayed
/// picture
///    alone say it too: Label Studio's COCO files have the stored size beside their coordinates.
/// 2. `--exif`
/// 3. the annotated sizes of the source's other pictures, if all say the same
/// 4. what the format's programs do (usualExifUse()), with a warning
///
/// A dataset that is written refers to the stored pixels unless its sizes say otherwise
/// (coco::shouldApplyExif()). Annotations of a displayed picture of the same size are turned.
namespace lockstep::formats {

enum class ExifUse { Apply, Ignore };
constexpr auto enumTexts(ExifUse) {
  using enum ExifUse;
  return std::to_array<base::EnumText<ExifUse>>({{Apply, "apply"}, {Ignore, "ignore"}});
}

/// What the programs do that write a format.
ExifUse usualExifUse(Format format);

/// How the annotations of turned pictures were read whose own sizes do not say it.
struct ExifDecision {
  enum class Reason { Option, OtherSizes, Format };
  std::int64_t images = 0;  ///< with objects
  std::string first{};      ///< of their files
  ExifUse use = ExifUse::Ignore;
  Reason reason = Reason::Format;
};

/// Makes all annotations refer to the pixels that those of a dataset do. Needs SourceImage::facts.
ExifDecision applyExifRule(std::optional<ExifUse> option, Format format, Source& source);

/// Turns the annotations of a dataset's image to what a program takes them for that uses EXIF so.
void turnFor(ExifUse use, SourceImage& image);

}  // namespace lockstep::formats
