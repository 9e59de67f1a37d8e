#pragma once

#include <filesystem>

namespace lockstep::supervisor {

/// Renames a finished partial file or folder to `target`, replacing one that is there, and syncs
/// the folder around it. Throws Error.
void moveIntoPlace(const std::filesystem::path& partial, const std::filesystem::path& target);

}  // namespace lockstep::supervisor
