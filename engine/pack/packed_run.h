#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/temporary_folder.h"
#include "engine/pack/manifest.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::pack {

/// Whether it is a file with the name of a packed run, *.lockstep.
bool isPackedRun(const std::filesystem::path& path);

/// What run.json in a packed run says; nothing is unpacked. Blocks. Throws Error as PackedRun.
run_folder::RunInfo readPackedRunInfo(const std::filesystem::path& file);

/// A run that was packed into one file (packRun()), as a run folder in the system's temporary
/// folder for as long as this exists. Nothing is trusted: other members than those that a run has,
/// members outside of their folder, links, sizes beyond the file's, and damaged tars are refused.
class PackedRun {
 public:
  /// Blocks. Throws Error with the file, what is wrong and how to mend it.
  explicit PackedRun(const std::filesystem::path& file);

  const Manifest& manifest() const { return manifest_; }
  /// Where it is unpacked.
  const std::filesystem::path& folder() const { return folder_.path(); }
  run_folder::Layout layout() const { return run_folder::Layout(folder_.path()); }
  /// A safetensors file; nullopt: packed without weights.
  std::optional<std::filesystem::path> weights() const;

 private:
  base::TemporaryFolder folder_;
  Manifest manifest_;
};

}  // namespace lockstep::pack
