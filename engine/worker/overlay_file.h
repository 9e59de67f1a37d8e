#pragma once

#include <filesystem>

#include "engine/data/image_file.h"

namespace lockstep::worker {

/// Writes an overlay as a PNG with a marker in its metadata, so that predict may overwrite it
/// later. Throws Error.
void writeOverlay(const data::RgbImage& image, const std::filesystem::path& file);

/// Whether the file has that marker.
bool isOverlay(const std::filesystem::path& file);

}  // namespace lockstep::worker
