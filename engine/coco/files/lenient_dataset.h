#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/error_list.h"

namespace lockstep::coco {

/// An annotation in its file.
struct AnnotationOrigin {
  std::size_t byte = 0;            ///< position, from 1
  std::optional<std::int64_t> id;  ///< that of the dataset differs if it is missing or used twice
  bool hasBox = true;              ///< false: computed from its mask
};

/// A COCO instances file with errors: what Dataset::load() would refuse is left out.
struct LenientDataset {
  Dataset dataset;
  std::vector<std::size_t> imageBytes;     ///< position of images()[i] in the file, from 1
  std::vector<std::size_t> categoryBytes;  ///< of categories()[i]
  std::vector<std::vector<AnnotationOrigin>> origins;  ///< of annotationsOf(i)[j]
  std::vector<EntryError> errors;  ///< also those that Dataset::load() accepts: doubled ids
};

/// Polygons of fewer than three points are left out of annotations that have others, and negative
/// boxes of annotations that have a mask. Of entries with one id the first is used. Throws Error
/// for anything but COCO JSON.
LenientDataset loadLeniently(const std::filesystem::path& file);

}  // namespace lockstep::coco
