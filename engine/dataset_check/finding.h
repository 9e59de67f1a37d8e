#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/enum_text.h"

namespace lockstep::dataset_check {

/// The parts of an experiment's dataset.
enum class Part : std::uint8_t { Train, Val };
constexpr auto enumTexts(Part) {
  using enum Part;
  return std::to_array<base::EnumText<Part>>({{Train, "train"}, {Val, "val"}});
}

enum class FindingKind : std::uint8_t {
  // Faults: certain.
  InvalidFile,
  InvalidEntry,
  ImageMissing,
  ImageUnreadable,
  ImageTruncated,
  ImageSize,
  ImageRotated,
  BoxOutside,
  BoxEmpty,
  BoxNotMask,
  PolygonEmpty,
  PolygonCrossing,
  MaskInvalid,
  MaskEmpty,
  DoubledObject,
  DuplicateId,
  MissingId,
  UnknownClass,
  UnknownImage,
  PictureTwice,
  PictureInBothParts,
  // Notes: suspicious.
  UnusualArea,
  UnusualAspect,
  EmptyImage,
  ExifIgnored,
  StarvedClass,
  SimilarPicture
};
constexpr auto enumTexts(FindingKind) {
  using enum FindingKind;
  return std::to_array<base::EnumText<FindingKind>>({{InvalidFile, "invalid_file"},
                                                     {InvalidEntry, "invalid_entry"},
                                                     {ImageMissing, "image_missing"},
                                                     {ImageUnreadable, "image_unreadable"},
                                                     {ImageTruncated, "image_truncated"},
                                                     {ImageSize, "image_size"},
                                                     {ImageRotated, "image_rotated"},
                                                     {BoxOutside, "box_outside"},
                                                     {BoxEmpty, "box_empty"},
                                                     {BoxNotMask, "box_not_mask"},
                                                     {PolygonEmpty, "polygon_empty"},
                                                     {PolygonCrossing, "polygon_crossing"},
                                                     {MaskInvalid, "mask_invalid"},
                                                     {MaskEmpty, "mask_empty"},
                                                     {DoubledObject, "doubled_object"},
                                                     {DuplicateId, "duplicate_id"},
                                                     {MissingId, "missing_id"},
                                                     {UnknownClass, "unknown_class"},
                                                     {UnknownImage, "unknown_image"},
                                                     {PictureTwice, "picture_twice"},
                                                     {PictureInBothParts, "picture_in_both_parts"},
                                                     {UnusualArea, "unusual_area"},
                                                     {UnusualAspect, "unusual_aspect"},
                                                     {EmptyImage, "empty_image"},
                                                     {ExifIgnored, "exif_ignored"},
                                                     {StarvedClass, "starved_class"},
                                                     {SimilarPicture, "similar_picture"}});
}

constexpr bool isFault(FindingKind kind) { return kind < FindingKind::UnusualArea; }

/// An entry of an annotation file.
struct EntryPlace {
  Part part = Part::Train;
  std::size_t byte = 0;  ///< position in the file, from 1; 0: none
  auto operator<=>(const EntryPlace&) const = default;
};

/// Something about a dataset that is wrong or suspicious. Ids are those in the file.
struct Finding {
  FindingKind kind = FindingKind::InvalidFile;
  Part part = Part::Train;
  std::string file{};  ///< the annotation file, or the image if it is about its pixels
  std::optional<std::int64_t> imageId{}, annotationId{};
  std::size_t byte = 0;  ///< position in `file`, from 1; 0: unknown
  std::string text{};
  EntryPlace entry{};  ///< what it is about
};

}  // namespace lockstep::dataset_check
