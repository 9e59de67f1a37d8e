#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::tests {

/// Content of a run folder made for a test.
struct MadeRun {
  std::string name = "made";
  std::string state = "finished";
  std::string error;  ///< of a failed run
  std::int64_t steps = 40;
  std::int64_t maxSteps = 40;
  std::int64_t evaluateEvery = 10;
  double created = 1795255200;
  /// Of run.json; std::nullopt: written by an earlier version.
  std::optional<double> stepsPerEpoch = 8;
  double lossOffset = 0;      ///< makes runs differ
  int ranks = 1;              ///< if several, the last one is slow
  bool hasStepParts = false;  ///< times of the forward pass and the like
  bool isSlowForImages = false;
  int gpus = -1;  ///< number of GPUs with device metrics; -1: no device metrics at all
  std::int64_t slowRankUntil = 1 << 30;  ///< last step with the slow rank
  std::string valImages;                 ///< dataset.val of config.yaml; empty: none
  std::string valAnnotations;
  std::string trainImages;  ///< likewise dataset.train
  std::string trainAnnotations;
  bool hasMasks = true;                       ///< false: a detector of boxes
  std::vector<std::int64_t> keptCheckpoints;  ///< steps whose checkpoint file exists
  /// Images with predictions at every evaluation, one box at the same place on each.
  std::vector<std::int64_t> watchedImages;
};

/// A run with that name, created at a Unix time.
MadeRun made(const char* name, double created);

/// Writes a run folder with the engine's writers: config.yaml, run.json and an event log with
/// falling losses, held-out losses that rise again, AP, learning rate, times, checkpoints and log
/// lines. Returns its path.
QString makeRun(const QString& parent, const MadeRun& run);

/// Such a run that has failed with this message, at step 40 of rank 0.
QString makeFailedRun(const QString& parent, MadeRun run,
                      const std::string& message = "rank 0 ran out of memory");

/// Training loss of a step in such a run.
float madeLoss(const MadeRun& run, std::int64_t step);

}  // namespace lockstep::tests
