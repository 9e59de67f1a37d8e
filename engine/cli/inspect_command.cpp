#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>

#include <array>
#include <cstdio>
#include <memory>
#include <variant>

#include "engine/base/error.h"
#include "engine/base/json_writer.h"
#include "engine/cli/commands.h"
#include "engine/cli/model_source.h"
#include "engine/supervisor/inspect_session.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

void printSocket(const fs::path& socket) {
  std::string line;
  base::JsonWriter writer(line);
  writer.beginObject();
  writer.member("socket", socket.native());
  writer.endObject();
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

/// Locks the socket for the life of this session. Not open if another process holds the lock.
base::FileDescriptor lockSocket(const fs::path& socket) {
  run_folder::ensureSocketFolder();
  const fs::path path = fs::path(socket).replace_extension(".lock");
  base::FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.isOpen()) throw Error(path.string() + ": cannot be opened");
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
  return file;
}

/// The lock, or a connection to the running session that holds it.
struct LockOrConnection {
  base::FileDescriptor lock, connection;
};

/// Retries, as the process that holds the lock may not listen yet, or may be about to exit.
LockOrConnection lockOrConnect(const fs::path& socket) {
  constexpr int kTries = 100, kPauseMs = 50;
  for (int attempt = 1;; ++attempt) {
    LockOrConnection result{lockSocket(socket), {}};
    if (result.lock.isOpen()) return result;
    try {
      result.connection = supervisor::connectTo(socket);
      return result;
    } catch (const Error&) {
      if (attempt == kTries) throw;
      ::poll(nullptr, 0, kPauseMs);
    }
  }
}

/// The weights that the running session has loaded.
std::string weightsOfSession(const base::FileDescriptor& connection) {
  constexpr int kTimeoutMs = 5000;
  const std::string request = protocol::encode(protocol::ClientMessage(
                                  protocol::Command{"weights", protocol::CommandName::Status})) +
                              "\n";
  if (::send(connection.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size()))
    throw Error("the running inspect session does not accept the request");
  protocol::LineBuffer lines;
  std::string line;
  while (lines.next(line) != protocol::LineBuffer::Result::Line) {
    pollfd waited{connection.get(), POLLIN, 0};
    std::array<char, 4096> bytes;
    const ssize_t count = ::poll(&waited, 1, kTimeoutMs) > 0
                              ? ::recv(connection.get(), bytes.data(), bytes.size(), 0)
                              : 0;
    if (count <= 0) throw Error("the running inspect session does not answer");
    lines.append({bytes.data(), static_cast<std::size_t>(count)});
  }
  const auto answer = protocol::decodeEngineMessage(line);
  const auto* ok = std::get_if<protocol::Ok>(&answer);
  if (ok == nullptr) throw Error("the running inspect session does not report its weights");
  const auto* status = std::get_if<protocol::InspectionStatus>(&ok->answer);
  return status != nullptr ? status->weights : "";
}

/// Prints the socket of the running session, unless other weights are asked for.
void reuseSession(const ModelSource& source, const ModelOptions& options, const fs::path& socket,
                  const base::FileDescriptor& connection) {
  if (!options.weights.empty()) {
    const std::string loaded = weightsOfSession(connection);
    std::error_code ignored;
    if (!fs::equivalent(loaded, source.weights, ignored)) {
      throw UserError("--weights " + options.weights + ": " + options.target +
                      " is already inspected with " + loaded +
                      ": stop that session, or pass the weights in each request");
    }
  }
  printSocket(socket);
}

int inspect(const ModelOptions& options) {
  supervisor::InspectSetup setup;
  setup.workerProgram = supervisor::workerProgramBesideThis();
  const ModelSource source = resolveModel(options, setup.workerProgram);
  setup.target = source.target;
  setup.run = source.run;
  setup.job.model = source.model();
  source.ranks.setGpu(/*localRank=*/0, setup.placement);
  setup.socket = run_folder::socketPath("inspect:" + source.target.string());
  const LockOrConnection held = lockOrConnect(setup.socket);
  if (held.connection.isOpen()) {
    reuseSession(source, options, setup.socket, held.connection);
    return static_cast<int>(ExitStatus::Done);
  }
  supervisor::InspectSession(setup, [&setup] { printSocket(setup.socket); }).run();
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addInspectCommand(Command& program) {
  Command command = program.command("inspect",
                                    "Load a model and answer prediction requests on a local socket "
                                    "(used by the app); exits after 10 idle minutes");
  auto options = std::make_shared<ModelOptions>();
  addModelOptions(command, *options);
  command.run([options] { return inspect(*options); });
}

}  // namespace lockstep::cli
