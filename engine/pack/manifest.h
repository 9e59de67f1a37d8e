#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::pack {

/// What manifest.json, the first member of a packed run, says of it.
struct Manifest {
  std::string run;                            ///< the run folder, where it was
  double packed = 0;                          ///< seconds since 1970
  std::int64_t step = 0;                      ///< of the run when it was packed
  std::optional<std::int64_t> weightsStep{};  ///< nullopt: without weights
  std::size_t members = 0;                    ///< that follow it
  /// CRC-32C of each member in their order; empty: packed before they were kept.
  std::vector<std::uint32_t> checksums{};
  /// Files from outside the run folder: the absolute path that the configuration leads to, and the
  /// member with its content.
  std::map<std::filesystem::path, std::filesystem::path> datasetFiles{};
};

inline constexpr const char* kManifestName = "manifest.json";

/// As long as with other checksums.
std::string writeManifest(const Manifest& manifest);
/// Throws Error, without the file's name: no manifest of a packed run, or of a later version.
Manifest readManifest(const std::string& text);

}  // namespace lockstep::pack
