#pragma once

#include <filesystem>
#include <string>

namespace lockstep::config {

/// The `name` of an experiment that is written into a new folder, after that folder: its letters,
/// digits, `_`, `.` and `-`, which need no quotes in YAML.
std::string nameAfterFolder(const std::filesystem::path& folder);

}  // namespace lockstep::config
