#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace lockstep::tests {

/// Writes a file and the folders above it.
inline void writeText(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

}  // namespace lockstep::tests
