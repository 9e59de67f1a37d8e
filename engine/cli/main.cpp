// lockstep-engine: the command line and the supervisor of runs.
#include <csignal>
#include <cstdio>
#include <exception>
#include <string>

#include "engine/base/error.h"
#include "engine/base/standard_streams.h"
#include "engine/cli/command_line.h"
#include "engine/cli/commands.h"

namespace lockstep::cli {
namespace {

void addCommands(Command& program) {
  addTrainCommand(program);
  addEvaluateCommand(program);
  addPredictCommand(program);
  addInspectCommand(program);
  addCocoEvalCommand(program);
  addConfigCommand(program);
  addDatasetCommand(program);
  addMetricsCommand(program);
  addAdviseCommand(program);
  addRunsCommand(program);
  addDiffCommand(program);
  addPackCommand(program);
  addServeCommand(program);
  addAttachCommand(program);
  addInfoCommand(program);
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) {
  lockstep::base::reserveStandardStreams();
  // A write beyond a limit of the file size then fails as one to a full disk does; also in the
  // ranks, which inherit it.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    const int status = lockstep::cli::runCommandLine(argc, argv, lockstep::cli::addCommands);
    // A full disk is known only now.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw lockstep::Error("standard output cannot be written");
    return status;
  } catch (const lockstep::Error& error) {
    lockstep::base::printMessage(error.what());
    return static_cast<int>(error.status());
  } catch (const std::exception& error) {
    lockstep::base::printMessage(std::string("lockstep-engine: ") + error.what());
    return static_cast<int>(lockstep::ExitStatus::Failed);
  }
}
