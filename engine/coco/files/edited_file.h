#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "engine/base/image_size.h"
#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// What is changed in an entry of an annotation file.
struct EntryEdit {
  bool isRemoved = false;
  std::optional<std::int64_t> id{};
  std::optional<base::ImageSize> size{};  ///< of an image
  std::optional<std::array<double, 4>> boxXywh{};
  std::optional<Segmentation> segmentation{};
  std::optional<double> area{};
  /// Where a keypoint comes to lie, as pixel x, y from 0; those that are 0, 0, 0 (not there) stay.
  std::function<std::array<double, 2>(double x, double y)> movedKeypoint{};
};

/// By the entry's position in the file, from 1.
using EntryEdits = std::unordered_map<std::size_t, EntryEdit>;

/// The text of an annotation file after these edits. Everything else stays as it is written: other
/// entries, their unknown members, and members of the file such as info and licenses. Throws Error
/// as Dataset::load() does for anything but COCO JSON.
std::string editedAnnotationFile(const std::filesystem::path& file, const EntryEdits& edits);

}  // namespace lockstep::coco
