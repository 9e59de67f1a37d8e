#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace lockstep::config {

struct MovedPaths {
  std::string text;
  std::vector<std::string> keys;  ///< whose paths were rewritten
};

/// Rewrites an experiment file's relative paths, that of `base` too, for saving in folder `to`
/// instead of `from`; no other character changes. Both folders are absolute. A text that is not
/// YAML is returned unchanged.
MovedPaths movePaths(const std::string& text, const std::filesystem::path& from,
                     const std::filesystem::path& to);

}  // namespace lockstep::config
