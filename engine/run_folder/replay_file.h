#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {

/// What a run leaves of a step whose loss or gradient was not finite
/// (divergence/step-N/replay.json, beside the weights of before that step), so that the very batch
/// can be run again.
struct ReplayFile {
  std::int64_t step = 0;
  std::string message;  ///< what the run said
  std::vector<std::int64_t> imageIds;
  std::vector<std::int64_t> badImages{};               ///< that the run had left out
  std::vector<std::pair<std::string, float>> figures;  ///< the step's losses and grad_norm
  std::string firstNotFinite;                          ///< layer, loss or gradient
  std::string configYaml;                              ///< of the run, resolved
};

inline constexpr const char* kReplayFile = "replay.json";
inline constexpr const char* kReplayWeights = "weights.safetensors";

/// Throw Error naming the file.
ReplayFile readReplayFile(const fs::path& file);
void writeReplayFile(const fs::path& file, const ReplayFile& replay);

}  // namespace lockstep::run_folder
