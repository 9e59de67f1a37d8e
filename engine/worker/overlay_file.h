#pragma once

#include <filesystem>

#include "engine/data/image_file.h"

namespace lockstep::worker {

/// Writes a drawn picture as a PNG that says of itself that it is one, so that drawing again may
/// replace it. Throws Error.
void writeOverlay(const data::RgbImage& image, const std::filesystem::path& file);

/// Whether the file is one of those.
bool isOverlay(const std::filesystem::path& file);

}  // namespace lockstep::worker
