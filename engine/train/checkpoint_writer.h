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

  /// Nothing to do where this step has one, unless it is the best. A write error is reported and
  /// training continues; the last checkpoint is retried for a while, and then written
  /// elsewhere.
  void save(bool isBest, bool isLast);

 private:
  /// Whole, or nothing of it. Throws.
  void write(const std::filesystem::path& partial);
  void retry(protocol::CheckpointReady& ready);
  void writeElsewhere(protocol::CheckpointReady& ready);

  Training& training_;
  const TrainingModel& model_;
};

}  // namespace lockstep::train
