#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/safetensors.h"
#include "engine/run_folder/training_state.h"

namespace lockstep::checkpoint {

/// Metadata of model.safetensors: what a reader needs to interpret the weights.
struct ModelFacts {
  std::vector<std::int64_t>
      categoryIds;  ///< row k of the heads (from 1) is the k-th id; row 0 is background
  std::vector<std::string> categoryNames;
  std::string backbone;  ///< resnet50 …
  std::string norm;      ///< frozen_batch | batch | group …
  double normEpsilon = 1e-5;
  std::string experiment;  ///< resolved, as YAML, so that the file alone serves; empty: unknown
  std::int64_t step = 0;   ///< of the training; 0: unknown
  bool operator==(const ModelFacts&) const = default;
};

Metadata toMetadata(const ModelFacts& facts);
/// nullopt when the file has no such metadata (weights of other programs). Throws Error when it is
/// invalid.
std::optional<ModelFacts> modelFacts(const SafetensorsFile& file);

struct Checkpoint {
  SafetensorsFile model;
  NamedTensors optimizer;
  run_folder::TrainingState state;
};

/// `model`: MaskRcnn::namedState(). Writes model.safetensors, whose step is that of `state`,
/// optimizer.safetensors and state.json, with the checksums of the other two, to `folder` (created
/// if missing) and syncs files and folder. Pass a partial folder and rename it afterwards. Throws
/// Error (full disk …).
void saveCheckpoint(const std::filesystem::path& folder, const NamedTensors& model,
                    ModelFacts facts, const NamedTensors& optimizer,
                    run_folder::TrainingState state);

/// Throws Error with the file that is missing or corrupt.
Checkpoint loadCheckpoint(const std::filesystem::path& folder);

}  // namespace lockstep::checkpoint
