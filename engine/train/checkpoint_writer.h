#pragma once

#include <filesystem>

#include "engine/train/training.h"
#include "engine/train/training_model.h"

namespace lockstep::train {

/// Writes checkpoints, as partial folders that the supervisor moves into place. Rank 0 alone
/// writes; no collective.
class CheckpointWriter {
 public:
  CheckpointWriter(Training& training, const TrainingModel& model)
      : training_(training), model_(model) {}

  /// No-op if this step has a checkpoint, unless it is the best, and in a range test. A write error
  /// is reported and training continues; the last checkpoint is retried for a while, and then saved
  /// to a fallback folder.
  void save(bool isBest, bool isLast);

 private:
  /// All files or none. Throws.
  void write(const std::filesystem::path& partial);
  void retry(protocol::CheckpointReady& ready);
  void saveToFallback(protocol::CheckpointReady& ready);

  Training& training_;
  const TrainingModel& model_;
};

}  // namespace lockstep::train
