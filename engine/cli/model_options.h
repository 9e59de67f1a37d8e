#pragma once

#include <string>
#include <vector>

#include "engine/cli/machine_choice.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace lockstep::cli {

/// What the command line says about the model to use.
struct ModelOptions {
  std::string target;                    ///< RUN or CONFIG
  std::string weights;                   ///< best, last, STEP or FILE; "": by default
  std::vector<std::string> overrides{};  ///< KEY=VALUE
};

/// The options of every command that uses a model: RUN|CONFIG and --weights.
void addModelOptions(CLI::App& command, ModelOptions& options);
/// --set, of those that run a job once.
void addOverrideOption(CLI::App& command, ModelOptions& options);
/// --split val|train.
void addSplitOption(CLI::App& command, std::string& split);
/// --workers, of those whose images are shared out.
void addWorkersOption(CLI::App& command, RankRequest& ranks);

}  // namespace lockstep::cli
