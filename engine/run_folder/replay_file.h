#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// divergence/step-N/replay.json: what is needed to replay a step with a non-finite loss or
/// gradient on the same batch. The weights before that step are beside it.
struct ReplayFile {
  std::int64_t step = 0;
  std::string message;  ///< error message of the run
  std::vector<std::int64_t> imageIds;
  std::vector<std::int64_t> badImages{};               ///< ids of images the run had skipped
  std::vector<std::pair<std::string, float>> figures;  ///< the step's losses and grad_norm
  std::string firstNotFinite;                          ///< layer, loss or gradient
  std::string configYaml;                              ///< resolved experiment of the run
};

inline constexpr const char* kReplayFile = "replay.json";
inline constexpr const char* kReplayWeights = "weights.safetensors";

/// Both throw Error naming the file.
ReplayFile readReplayFile(const fs::path& file);
void writeReplayFile(const fs::path& file, const ReplayFile& replay);

}  // namespace lockstep::run_folder
