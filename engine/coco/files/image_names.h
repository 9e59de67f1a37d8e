#pragma once

#include <filesystem>
#include <string>
#include <unordered_set>

namespace lockstep::coco {

/// The file names of the images of a COCO instances file, without reading its annotations: invalid
/// entries are left out. Throws Error for a file that cannot be read or is not JSON.
std::unordered_set<std::string> loadImageNames(const std::filesystem::path& file);

}  // namespace lockstep::coco
