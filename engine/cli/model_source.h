#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/command_line.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/output_path.h"
#include "engine/cli/run_argument.h"
#include "engine/config/experiment.h"
#include "engine/protocol/jobs.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {

/// The command line's choice of a model.
struct ModelOptions {
  std::string target;                    ///< RUN or CONFIG
  std::string weights;                   ///< best, last, STEP or FILE; "": the default
  std::vector<std::string> overrides{};  ///< KEY=VALUE
  bool prefersBest = false;              ///< the default of a run that has a best checkpoint
};

/// The options of every command that uses a model: RUN|CONFIG and --weights.
void addModelOptions(Command& command, ModelOptions& options);
/// --split val|train.
void addSplitOption(Command& command, std::optional<protocol::Split>& split);
/// --workers, of the commands that distribute their images over ranks.
void addWorkersOption(Command& command, RankRequest& ranks);

/// The model that `evaluate`, `predict` and `inspect` load.
struct ModelSource {
  std::filesystem::path target;              ///< RUN or CONFIG, real path
  std::vector<std::filesystem::path> files;  ///< the experiment file and its bases
  config::Experiment experiment;             ///< resolved for this machine
  std::optional<run_folder::Layout> run;
  std::optional<RunArgument> packed{};  ///< where `run` is a packed run's
  std::filesystem::path weights;        ///< an existing safetensors file
  std::int64_t step = 0;                ///< of the weights; 0: unknown
  supervisor::LocalRanks ranks;         ///< over which a job is distributed

  /// For the worker's job.
  protocol::TrainedModel model() const;
  /// The files it is read from, and the dataset.
  Inputs inputs() const;
};

/// RUN loads its latest checkpoint, or its best where that is preferred, CONFIG its model.weights,
/// unless --weights names others. Throws UserError.
ModelSource resolveModel(const ModelOptions& options, const std::filesystem::path& workerProgram,
                         const RankRequest& request = {.workers = 1});

/// Throws UserError when the experiment does not set this split, or its files are missing.
void requireSplit(const ModelSource& source, protocol::Split split);

}  // namespace lockstep::cli
