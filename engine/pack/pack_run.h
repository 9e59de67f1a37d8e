#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::pack {

struct PackedContent {
  std::size_t evaluations = 0, predictions = 0;
  std::size_t images = 0;                     ///< held-out images that predictions are kept of
  std::optional<std::int64_t> weightsStep{};  ///< nullopt: without weights
  /// What could not be packed, each a line.
  std::vector<std::string> warnings{};
};

/// Writes a run as one file, an uncompressed tar that PackedRun reads: manifest.json, run.json,
/// config.yaml, notes.json, source/, the event log, evaluations/, predictions/, the held-out images
/// of which predictions are kept, with their annotations, and one checkpoint's weights. Of
/// a run that is going on, what it has written until now: it is a stopped run in the file. Blocks.
/// Throws Error.
/// \param weights  a model.safetensors of the run; empty: none
PackedContent packRun(const run_folder::Layout& layout, const std::filesystem::path& target,
                      const std::filesystem::path& weights);

}  // namespace lockstep::pack
