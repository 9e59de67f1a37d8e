#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Checks of user-given paths before they are opened: reading a device or a pipe may never end.
namespace lockstep::base {

/// Why `file` cannot be read as `expected` ("a file", "an experiment file"): "there is no such
/// file", "is a device; expected a file". "" for a regular file that may be read.
std::string inputFileError(const std::filesystem::path& file, const std::string& expected);

/// Whether the path exists; false when it cannot be checked.
bool pathExists(const std::filesystem::path& path);

/// The paths of a folder's entries, in no particular order. Throws UserError with the folder and
/// the system's reason.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

}  // namespace lockstep::base
