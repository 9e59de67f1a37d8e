#pragma once

#include <filesystem>
#include <optional>

namespace lockstep::formats {

/// The YAML file that names a YOLO dataset's classes, in a folder or the file itself.
std::optional<std::filesystem::path> yoloDescriptionIn(const std::filesystem::path& path);

}  // namespace lockstep::formats
