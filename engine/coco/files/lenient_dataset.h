#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/error.h"
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
  std::string refusal{};           ///< why Dataset::load() throws, in its words; empty: it does not
};

/// Thrown for a file that is no COCO JSON.
class InvalidDataset : public Error {
 public:
  InvalidDataset(const std::string& message, std::size_t byte, bool isOtherFile = false)
      : Error(message), byte_(byte), isOtherFile_(isOtherFile) {}
  std::size_t byte() const { return byte_; }         ///< where it is invalid, from 1; 0: unknown
  bool isOtherFile() const { return isOtherFile_; }  ///< valid JSON without COCO's tables

 private:
  std::size_t byte_;
  bool isOtherFile_;
};

/// Thrown when a ReadingWatch ends the reading.
class ReadingStopped : public Error {
 public:
  ReadingStopped() : Error("stopped") {}
};

/// Called from any of the reading threads with the share of the file that is read; false: stop.
using ReadingWatch = std::function<bool(double share)>;

/// Leaves invalid polygons, boxes and areas out of annotations, and keeps those that still have a
/// polygon, a mask or a box. Uses the first of entries with one id. Throws InvalidDataset for
/// anything but COCO JSON, and other errors if the file cannot be read.
LenientDataset loadLeniently(const std::filesystem::path& file, const ReadingWatch& watch = {});

}  // namespace lockstep::coco
