#pragma once

#include <filesystem>
#include <vector>

/// What stands at a path that the command line names. Unlike std::filesystem, all of these throw
/// Error (mendable) with the path and the system's reason when it cannot be looked at (no
/// permission, links in a circle, a name too long).
namespace lockstep::cli {

bool isThere(const std::filesystem::path& path);
bool isFolder(const std::filesystem::path& path);
bool isFile(const std::filesystem::path& path);

/// The paths of everything right inside a folder, in no order.
std::vector<std::filesystem::path> entriesOf(const std::filesystem::path& folder);

/// Without links. The path must be there.
std::filesystem::path realPath(const std::filesystem::path& path);

}  // namespace lockstep::cli
