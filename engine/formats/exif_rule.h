#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/enum_text.h"
#include "engine/formats/format.h"
#include "engine/formats/source.h"

/// Decides if annotations of a picture with an EXIF orientation refer to it as displayed or as
/// stored. The first of these that applies:
/// 1. the annotated size, if the orientation swaps the sides. Objects that fit only the displayed
///    picture override it: Label Studio's COCO files have the stored size, but displayed objects.
/// 2. `--exif`
/// 3. the annotated sizes of the source's other pictures, if they agree
/// 4. the habit of the format's programs (usualExifUse()), with a warning
///
/// A dataset that is written refers to the stored pixels unless its sizes say otherwise
/// (coco::shouldApplyExif()). Annotations of a displayed picture of the same size are turned.
namespace lockstep::formats {

enum class ExifUse { Apply, Ignore };
constexpr auto enumTexts(ExifUse) {
  using enum ExifUse;
  return std::to_array<base::EnumText<ExifUse>>({{Apply, "apply"}, {Ignore, "ignore"}});
}

/// The use of EXIF by the programs that write a format.
ExifUse usualExifUse(Format format);

/// Reading of annotations of turned pictures whose own sizes do not decide it.
struct ExifDecision {
  enum class Reason { Option, OtherSizes, Format };
  std::int64_t images = 0;       ///< with objects
  bool hasSwappedSides = false;  ///< some of them: their sizes depend on `use`
  std::string first{};           ///< of their files
  ExifUse use = ExifUse::Ignore;
  Reason reason = Reason::Format;
};

/// Needs SourceImage::facts.
ExifDecision decideExifUse(std::optional<ExifUse> option, Format format, const Source& source);

/// Makes all annotations refer to the pixels that a dataset's annotations refer to. `undecided`: of
/// the pictures whose sizes do not decide it, which must have been read with it.
void applyExifUse(ExifUse undecided, Source& source);

/// Turns the annotations of a dataset's image for a program with this use of EXIF.
void turnFor(ExifUse use, SourceImage& image);

}  // namespace lockstep::formats
