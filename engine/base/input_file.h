#pragma once

#include <filesystem>
#include <string>

/// Checks of user-given paths before they are opened: reading a device or a pipe may never end.
namespace lockstep::base {

/// Why `file` cannot be read as `expected` ("a file", "an experiment file"): "there is no such
/// file", "is a device; expected a file". "" for a regular file that may be read.
std::string inputFileError(const std::filesystem::path& file, const std::string& expected);

/// Whether the path exists; false when it cannot be checked.
bool pathExists(const std::filesystem::path& path);

}  // namespace lockstep::base
