// lockstep-engine: the command line and the supervisor of runs.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "engine/base/error.h"
#include "engine/cli/command_line.h"
#include "engine/cli/commands.h"
#include "engine/cli/config_command.h"

namespace lockstep::cli {
namespace {

void addCommands(CLI::App& app, std::function<int()>& action) {
  addTrainCommand(app, action);
  addEvaluateCommand(app, action);
  addPredictCommand(app, action);
  addInspectCommand(app, action);
  addCocoEvalCommand(app, action);
  addConfigCommand(app, action);
  addDatasetCommand(app, action);
  addMetricsCommand(app, action);
  addRunsCommand(app, action);
  addAttachCommand(app, action);
  addInfoCommand(app, action);
}

int run(int argc, char** argv) {
  CLI::App app("Trains, evaluates and applies instance-segmentation models.", "lockstep-engine");
  app.set_version_flag("--version", "lockstep-engine " LOCKSTEP_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Exit status: 0 done, 1 failed, 2 mendable in the command line or the experiment file,\n"
      "75 stopped on request with a checkpoint, 130 killed by a second signal.");
  std::function<int()> action;
  addCommands(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::Error& fault) {
    std::fprintf(stderr, "%s\n", describeFault(app, fault).c_str());
    return static_cast<int>(ExitStatus::Mendable);
  }
  refuseUnusableValues(app);
  return action();
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) {
  try {
    return lockstep::cli::run(argc, argv);
  } catch (const lockstep::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-engine: %s\n", error.what());
    return static_cast<int>(lockstep::ExitStatus::Failed);
  }
}
