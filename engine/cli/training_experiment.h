#pragma once

#include <filesystem>

#include "engine/cli/training_plan.h"

namespace lockstep::cli {

/// What is trained, and by which ranks.
struct TrainingExperiment {
  config::Experiment experiment;  ///< whole and checked, in steps and for this machine
  supervisor::LocalRanks ranks;
  run_folder::DataFingerprints data;
  double stepsPerEpoch = 0;  ///< of the training images that are used
};

/// Reads the file that `options` name, with its annotations. A run that goes on has its weights in
/// its checkpoint: those it started from may be gone. Throws Error.
TrainingExperiment readExperiment(const TrainOptions& options,
                                  const std::filesystem::path& workerProgram, bool goesOn);

/// Weights that do not fit the model are a fault of the experiment (mendable): nothing is made yet.
void checkStartWeights(const config::Experiment& experiment,
                       const std::filesystem::path& workerProgram);

/// The same of a checkpoint, every tensor of which has to fit.
void checkCheckpoint(const config::Experiment& experiment, const std::filesystem::path& checkpoint,
                     const std::filesystem::path& workerProgram);

}  // namespace lockstep::cli
