#pragma once

#include <filesystem>
#include <string>

namespace lockstep::config {

/// The `name` of an experiment that is written into a new folder, after that folder: its ASCII
/// letters, digits, `_`, `.` and `-`, which need no quotes in YAML. Others become one `-`.
std::string nameAfterFolder(const std::filesystem::path& folder);

}  // namespace lockstep::config
