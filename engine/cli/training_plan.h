#pragma once

#include <string>
#include <vector>

#include "engine/cli/machine_choice.h"
#include "engine/run_folder/run_folder.h"
#include "engine/supervisor/training_run.h"

namespace lockstep::cli {

struct TrainOptions {
  std::string target;  ///< CONFIG or RUN
  std::vector<std::string> overrides;
  std::string output;
  bool resume = false;
  bool acceptData = false;  ///< with resume: even if the data differ
  std::string from, replay;
  bool findLr = false;  ///< a learning-rate range test instead of a training
  RankRequest ranks;
  std::string devices;  ///< --devices LIST
  bool detach = false;
  bool queue = false;              ///< wait for the devices; runs detached
  double checkpointPatience = 60;  ///< as TrainingSetup's
};

/// A checked experiment, with its run folder created and locked.
struct TrainingPlan {
  supervisor::TrainingSetup setup;
  run_folder::RunLock lock;
  std::string finished{};  ///< why the resumed run has nothing left to do; else empty
};

/// Reads and checks the experiment and its data, and only then creates or reopens the run folder:
/// an error leaves nothing behind. From then on stop signals are held for the run
/// (holdStopSignals). Warnings go to standard error. Throws Error.
TrainingPlan planTraining(const TrainOptions& options);

}  // namespace lockstep::cli
