#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/safetensors.h"
#include "engine/run_folder/training_state.h"

namespace lockstep::checkpoint {

/// What others need to read the model (metadata of model.safetensors).
struct ModelFacts {
  std::vector<std::int64_t>
      categoryIds;  ///< row k of the heads is the k-th (from 1); row 0 is background
  std::vector<std::string> categoryNames;
  std::string backbone;  ///< resnet50 …
  std::string norm;      ///< frozen_batch | batch | group …
  double normEpsilon = 1e-5;
  bool operator==(const ModelFacts&) const = default;
};

Metadata toMetadata(const ModelFacts& facts);
/// Nothing when the file does not have them (weights of others). Throws Error when they are
/// malformed.
std::optional<ModelFacts> modelFacts(const SafetensorsFile& file);

struct Checkpoint {
  SafetensorsFile model;
  NamedTensors optimizer;
  run_folder::TrainingState state;
};

/// `model`: MaskRcnn::namedState(). Writes model.safetensors, optimizer.safetensors and state.json
/// into `folder` (made when missing) and syncs files and folder; the state gets their seals. The
/// folder should be a partial one that is renamed when this has returned. Throws Error (full disk
/// …).
void saveCheckpoint(const std::filesystem::path& folder, const NamedTensors& model,
                    const ModelFacts& facts, const NamedTensors& optimizer,
                    run_folder::TrainingState state);

/// Throws Error naming the file that is missing or broken.
Checkpoint loadCheckpoint(const std::filesystem::path& folder);

}  // namespace lockstep::checkpoint
