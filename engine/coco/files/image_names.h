#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <unordered_set>

#include "engine/base/ids.h"

namespace lockstep::coco {

/// The file names of the images of a COCO instances file, without reading its annotations: invalid
/// entries are left out. Throws Error for a file that cannot be read or is not JSON.
std::unordered_set<std::string> loadImageNames(const std::filesystem::path& file);

/// The `file_name` of the images in a list of results, as `predict --images` writes them; empty: it
/// names none. Invalid entries are left out. Little of the file is in memory at a time. Throws
/// Error for a file that cannot be read or is not JSON, or if one id stands for two names.
std::map<ImageId, std::string> loadNamesInResults(const std::filesystem::path& file);

}  // namespace lockstep::coco
