#pragma once

#include <filesystem>

/// Checks of paths from the command line. Unlike those of std::filesystem, all of these throw
/// UserError with the path and the system's reason when the path is inaccessible (no permission,
/// a symlink loop, a name too long).
namespace lockstep::cli {

bool pathExists(const std::filesystem::path& path);
bool isFolder(const std::filesystem::path& path);
bool isFile(const std::filesystem::path& path);

/// With all symlinks resolved. The path must exist.
std::filesystem::path realPath(const std::filesystem::path& path);

}  // namespace lockstep::cli
