#include <fcntl.h>
#include <sys/file.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "engine/base/error.h"
#include "engine/cli/commands.h"
#include "engine/cli/model_source.h"
#include "engine/protocol/json_text.h"
#include "engine/supervisor/inspect_session.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

struct InspectOptions {
  std::string target, weights;
};

void printSocket(const fs::path& socket) {
  std::string line;
  protocol::JsonWriter writer(line);
  writer.beginObject();
  writer.key("socket");
  writer.value(std::string_view(socket.native()));
  writer.endObject();
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

/// Held while this inspection lives; not open when another process inspects the same.
supervisor::FileDescriptor lockSocket(const fs::path& socket) {
  run_folder::ensureSocketFolder();
  const fs::path path = fs::path(socket).replace_extension(".lock");
  supervisor::FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.isOpen()) throw Error(path.string() + ": cannot be opened");
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
  return file;
}

int inspect(const InspectOptions& options) {
  supervisor::InspectSetup setup;
  setup.workerProgram = supervisor::workerProgramBesideThis();
  const ModelSource source = resolveModel(options.target, options.weights, setup.workerProgram);
  setup.target = source.target;
  setup.run = source.run;
  setup.job = source.job("inspect");
  setup.socket = run_folder::socketPath("inspect:" + source.target.string());
  const supervisor::FileDescriptor lock = lockSocket(setup.socket);
  if (!lock.isOpen()) {
    supervisor::connectTo(setup.socket);  // the one that lives answers for both
    printSocket(setup.socket);
    return static_cast<int>(ExitStatus::Done);
  }
  supervisor::InspectSession(setup, [&setup] { printSocket(setup.socket); }).run();
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addInspectCommand(CLI::App& app, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("inspect",
                                         "Keep a model ready behind a local socket; prints "
                                         "{\"socket\": PATH}, ends after 10 idle minutes");
  auto options = std::make_shared<InspectOptions>();
  command->add_option("target", options->target, "Run folder or experiment file")
      ->required()
      ->option_text("RUN|CONFIG");
  command
      ->add_option("--weights", options->weights,
                   "Default: the newest checkpoint, or model.weights")
      ->option_text("best|last|STEP|FILE");
  command->callback([options, &action] { action = [options] { return inspect(*options); }; });
}

}  // namespace lockstep::cli
