#pragma once

#include <filesystem>
#include <string>

/// Looking at what a person names before it is opened: a device or a pipe would be read for ever.
namespace lockstep::base {

/// Why what is at `file` cannot be read as `wanted` ("a file", "an experiment file"): "there is no
/// such file", "is a device; a file is wanted". "" for a regular file.
std::string inputFileFault(const std::filesystem::path& file, const std::string& wanted);

/// Whether anything is there; false where it cannot be looked at.
bool isThere(const std::filesystem::path& path);

}  // namespace lockstep::base
