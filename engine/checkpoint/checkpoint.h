#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/safetensors.h"

namespace lockstep::checkpoint {

/// The best evaluation so far, so that a resumed run goes on choosing rightly.
struct BestSoFar {
  std::string metric;  ///< evaluation.best_metric
  double value = 0;
  std::int64_t step = 0;
  bool operator==(const BestSoFar&) const = default;
};

/// What beside the tensors is needed to go on (state.json). Order and randomness are functions of
/// seed and step.
struct TrainingState {
  std::int64_t step = 0;  ///< updates done
  std::optional<BestSoFar> best;
  // Facts under which the next step is the same to the last bit; compared by whoever resumes.
  std::int64_t seed = 1;
  int batchSize = 0;
  int accumulate = 1;
  int workers = 1;
  int cpuThreads = 0;
  std::string device;     ///< cpu | cuda
  std::string optimizer;  ///< sgd | adamw
  std::string version;    ///< of Lockstep
  bool operator==(const TrainingState&) const = default;
};

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
  TrainingState state;
};

/// `model`: MaskRcnn::namedState(). Writes model.safetensors, optimizer.safetensors and state.json
/// into `folder` (made when missing) and syncs files and folder. The folder should be a partial one
/// that is renamed when this has returned. Throws Error (full disk …).
void saveCheckpoint(const std::filesystem::path& folder, const NamedTensors& model,
                    const ModelFacts& facts, const NamedTensors& optimizer,
                    const TrainingState& state);

/// Throws Error naming the file that is missing or broken.
Checkpoint loadCheckpoint(const std::filesystem::path& folder);

/// Reads state.json alone.
TrainingState loadTrainingState(const std::filesystem::path& folder);

}  // namespace lockstep::checkpoint
