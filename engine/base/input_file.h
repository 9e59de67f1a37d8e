#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"

/// Checks of user-given paths before they are opened: reading a device or a pipe may never end.
namespace lockstep::base {

/// Why `file` cannot be read as `expected` ("a file", "an experiment file"): "there is no such
/// file", "is a device; expected a file". "" for a regular file that may be read.
std::string inputFileError(const std::filesystem::path& file, const std::string& expected);

/// Opens a regular file, as open(2) does. Anything else in its place is refused at once, where
/// opening a pipe would wait for its other end. Throws SystemError, or Error for the latter.
FileDescriptor openRegularFile(const std::filesystem::path& file, int flags, unsigned mode = 0644);

/// Whether the path exists; false when it cannot be checked.
bool pathExists(const std::filesystem::path& path);

/// The paths of a folder's entries, in no particular order. Throws UserError with the folder and
/// the system's reason.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

}  // namespace lockstep::base
