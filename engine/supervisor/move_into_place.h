#pragma once

#include <filesystem>

namespace lockstep::supervisor {

/// Renames a finished partial file or folder to `place`, replacing one that is there, and syncs the
/// folder around it. Throws Error.
void moveIntoPlace(const std::filesystem::path& partial, const std::filesystem::path& place);

}  // namespace lockstep::supervisor
