#pragma once

#include <filesystem>

#include "engine/cli/training_plan.h"
#include "engine/run_folder/source_files.h"

namespace lockstep::cli {

/// The checked experiment and the ranks that train it.
struct TrainingExperiment {
  config::Experiment experiment;  ///< resolved: durations in steps, runtime for this machine
  supervisor::LocalRanks ranks;
  run_folder::DataFingerprints data;
  double stepsPerEpoch = 0;                       ///< of the training images that are used
  std::optional<run_folder::SourceFiles> source;  ///< nullopt: of a run of an earlier version
};

/// Reads the experiment file that `options` name, and checks its annotations. fromCheckpoint: the
/// weights come from a checkpoint, so that those in model.weights may be missing. Throws Error.
TrainingExperiment readExperiment(const TrainOptions& options,
                                  const std::filesystem::path& workerProgram, bool fromCheckpoint);

/// Checks that model.weights fit the model, before anything is written. Throws Error: a UserError
/// when they do not.
void checkInitialWeights(const config::Experiment& experiment,
                         const std::filesystem::path& workerProgram);

/// The same for a checkpoint, whose every tensor must fit.
void checkCheckpoint(const config::Experiment& experiment, const std::filesystem::path& checkpoint,
                     const std::filesystem::path& workerProgram);

}  // namespace lockstep::cli
