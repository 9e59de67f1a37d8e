#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/cli/command_line.h"
#include "engine/cli/machine_choice.h"
#include "engine/cli/output_path.h"
#include "engine/config/experiment.h"
#include "engine/protocol/jobs.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {

/// What the command line says about the model to use.
struct ModelOptions {
  std::string target;                    ///< RUN or CONFIG
  std::string weights;                   ///< best, last, STEP or FILE; "": by default
  std::vector<std::string> overrides{};  ///< KEY=VALUE
};

/// The options of every command that uses a model: RUN|CONFIG and --weights.
void addModelOptions(Command& command, ModelOptions& options);
/// --set, of those that run a job once.
void addOverrideOption(Command& command, ModelOptions& options);
/// --split val|train.
void addSplitOption(Command& command, std::optional<protocol::Split>& split);
/// --workers, of those whose images are shared out.
void addWorkersOption(Command& command, RankRequest& ranks);

/// The model that `evaluate`, `predict` and `inspect` speak of.
struct ModelSource {
  std::filesystem::path target;              ///< RUN or CONFIG, real path
  std::vector<std::filesystem::path> files;  ///< of the experiment: it and its bases
  config::Experiment experiment;             ///< resolved for this machine
  std::optional<run_folder::Layout> run;
  std::filesystem::path weights;  ///< a safetensors file that is there
  std::int64_t step = 0;          ///< of the weights, 0: unknown
  supervisor::LocalRanks ranks;   ///< for a job that all ranks share

  /// For a job on it.
  protocol::TrainedModel model() const;
  /// What it is read from, the data set too.
  Inputs inputs() const;
};

/// RUN means its newest checkpoint unless the weights are named; CONFIG takes those, or
/// model.weights. Throws Error (mendable).
ModelSource resolveModel(const ModelOptions& options, const std::filesystem::path& workerProgram,
                         const RankRequest& request = {.workers = 1});

/// Throws Error (mendable) when the experiment does not name this part of the data set, or it is
/// not there any more.
void requirePart(const ModelSource& source, protocol::Split split);

}  // namespace lockstep::cli
