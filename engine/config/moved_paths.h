#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::config {

struct MovedPaths {
  std::string text;
  std::vector<std::string> keys;  ///< whose paths are written otherwise
};

/// An experiment file's text for another folder: its relative paths, that of `base` too, name from
/// `to` the files that they named from `from`, and no other character differs. Both folders are
/// absolute. A text that is not YAML stays as it is.
MovedPaths movePaths(const std::string& text, const std::filesystem::path& from,
                     const std::filesystem::path& to);

}  // namespace lockstep::config
