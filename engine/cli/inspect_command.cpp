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
#include "engine/protocol/json_text.h"
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

/// Held while this inspection lives; not open when another process inspects the same.
base::FileDescriptor lockSocket(const fs::path& socket) {
  run_folder::ensureSocketFolder();
  const fs::path path = fs::path(socket).replace_extension(".lock");
  base::FileDescriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.isOpen()) throw Error(path.string() + ": cannot be opened");
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) file.reset();
  return file;
}

/// The lock, or a connection to the inspection that holds it.
struct Place {
  base::FileDescriptor lock, other;
};

/// The one that holds the lock may not listen yet, or may be about to end.
Place takePlace(const fs::path& socket) {
  constexpr int kTries = 100, kPauseMs = 50;
  for (int attempt = 1;; ++attempt) {
    Place place{lockSocket(socket), {}};
    if (place.lock.isOpen()) return place;
    try {
      place.other = supervisor::connectTo(socket);
      return place;
    } catch (const Error&) {
      if (attempt == kTries) throw;
      ::poll(nullptr, 0, kPauseMs);
    }
  }
}

/// The weights that another inspection has loaded.
std::string weightsOfTheOther(const base::FileDescriptor& other) {
  constexpr int kPatienceMs = 5000;
  const std::string request = protocol::encode(protocol::ClientMessage(
                                  protocol::Command{"weights", protocol::CommandName::Status})) +
                              "\n";
  if (::send(other.get(), request.data(), request.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(request.size()))
    throw Error("the inspection that is there takes no request");
  protocol::LineBuffer lines;
  std::string line;
  while (lines.next(line) != protocol::LineBuffer::Result::Line) {
    pollfd waited{other.get(), POLLIN, 0};
    std::array<char, 4096> bytes;
    const ssize_t count = ::poll(&waited, 1, kPatienceMs) > 0
                              ? ::recv(other.get(), bytes.data(), bytes.size(), 0)
                              : 0;
    if (count <= 0) throw Error("the inspection that is there does not answer");
    lines.append({bytes.data(), static_cast<std::size_t>(count)});
  }
  const auto answer = protocol::decodeEngineMessage(line);
  const auto* ok = std::get_if<protocol::Ok>(&answer);
  if (ok == nullptr) throw Error("the inspection that is there does not say its weights");
  const auto* status = std::get_if<protocol::InspectionStatus>(&ok->answer);
  return status != nullptr ? status->weights : "";
}

/// The one that lives answers for both, unless other weights are asked for.
void joinTheOther(const ModelSource& source, const ModelOptions& options, const fs::path& socket,
                  const base::FileDescriptor& other) {
  if (!options.weights.empty()) {
    const std::string loaded = weightsOfTheOther(other);
    std::error_code ignored;
    if (!fs::equivalent(loaded, source.weights, ignored)) {
      throw base::mendable("--weights " + options.weights + ": " + options.target +
                           " is inspected with " + loaded +
                           " already: stop that inspection, or name the weights in each request");
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
  source.ranks.setGpu(/*localRank=*/0, setup.place);
  setup.socket = run_folder::socketPath("inspect:" + source.target.string());
  const Place place = takePlace(setup.socket);
  if (place.other.isOpen()) {
    joinTheOther(source, options, setup.socket, place.other);
    return static_cast<int>(ExitStatus::Done);
  }
  supervisor::InspectSession(setup, [&setup] { printSocket(setup.socket); }).run();
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addInspectCommand(Command& program) {
  Command command = program.command("inspect",
                                    "Keep a model ready behind a local socket; prints "
                                    "{\"socket\": PATH}, ends after 10 idle minutes");
  auto options = std::make_shared<ModelOptions>();
  addModelOptions(command, *options);
  command.run([options] { return inspect(*options); });
}

}  // namespace lockstep::cli
