#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/run_folder/run_folder.h"

namespace lockstep::tests {

/// What a run folder made for a test holds.
struct MadeRun {
  std::string name = "made";
  std::string state = "finished";
  std::string error;  ///< of a failed one
  std::int64_t steps = 40;
  std::int64_t maxSteps = 40;
  std::int64_t evaluateEvery = 10;
  double created = 1795255200;
  std::optional<double> stepsPerEpoch = 8;  ///< of run.json; none: of an earlier version
  double lossOffset = 0;                    ///< tells runs apart
  int ranks = 1;                            ///< of several the last one runs late
  bool isLateForImages = false;
  int gpus = -1;  ///< with figures of the processors and of so many GPUs; -1: of none
  std::int64_t lateRankUntil = 1 << 30;  ///< the step after which it is gone
  std::string valImages;                 ///< dataset.val of config.yaml; empty: none
  std::string valAnnotations;
  std::vector<std::int64_t> keptCheckpoints;  ///< steps whose checkpoint is on the disk
  /// Predictions were stored with every evaluation: a box at the same place on these images.
  std::vector<std::int64_t> watchedImages;
};

/// A run of that name, made so many seconds after 1970.
MadeRun made(const char* name, double created);

/// Writes a run folder with the engine's own writers: config.yaml, run.json and an event log of
/// losses that fall, held-out losses that turn, AP, learning rate, times, checkpoints and log
/// lines. Returns its path.
QString makeRun(const QString& parent, const MadeRun& run);

/// Training loss of a step in such a run.
float madeLoss(const MadeRun& run, std::int64_t step);

}  // namespace lockstep::tests
