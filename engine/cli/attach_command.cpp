#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/signal_cleanup.h"
#include "engine/cli/attached_foreign_run.h"
#include "engine/cli/commands.h"
#include "engine/pack/packed_run.h"
#include "engine/run_folder/run_files.h"
#include "engine/run_folder/run_folder.h"
#include "engine/supervisor/client_connection.h"
#include "engine/supervisor/ended_run.h"
#include "engine/supervisor/socket_server.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

/// How often an attach to a run without a process looks whether it was started again, or whether
/// another program's files have grown.
constexpr int kLookAgainMs = 1000;

/// Appends the available bytes; false at the end of the file.
bool readAvailable(int from, std::string& to) {
  std::array<char, 64 << 10> bytes;
  ssize_t count;
  do {
    count = ::read(from, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count > 0) to.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

/// The client, on standard input and output.
class Client {
 public:
  /// False at the end of its input.
  bool receive() {
    std::string bytes;
    const bool hasMore = readAvailable(STDIN_FILENO, bytes);
    lines_.append(bytes);
    return hasMore;
  }
  /// The next whole line that was received. Answers those that are too long.
  bool next(std::string& line) {
    for (;;) {
      const auto result = lines_.next(line);
      if (result != protocol::LineBuffer::Result::TooLong)
        return result == protocol::LineBuffer::Result::Line;
      send(protocol::encode(supervisor::ClientConnection::tooLongReply()) + '\n');
    }
  }
  /// Whole lines, with their newlines. Blocks until all are written.
  void send(std::string_view lines) {
    try {
      base::writeToDescriptor(STDOUT_FILENO, lines, "standard output");
    } catch (const Error&) {
      isGone_ = true;
    }
  }
  /// Nobody reads standard output any more.
  bool isGone() const { return isGone_; }

 private:
  protocol::LineBuffer lines_;
  bool isGone_ = false;
};

void waitForAny(pollfd* ends, std::size_t count, int timeoutMs) {
  while (::poll(ends, count, timeoutMs) < 0)
    if (errno != EINTR) throw Error(std::string("poll: ") + std::strerror(errno));
}

std::optional<protocol::FileRequest> fileRequestIn(const std::string& line) {
  try {
    const protocol::ClientMessage message = protocol::decodeClientMessage(line);
    if (const auto* request = std::get_if<protocol::FileRequest>(&message)) return *request;
  } catch (const Error&) {  // for the engine to answer
  }
  return std::nullopt;
}

/// Relays both ways until the engine closes the socket or standard output has no reader any more.
/// After the end of standard input the engine's messages are still relayed. Requests for files are
/// answered here, so that the supervisor does not wait for a disk.
void relay(int socket, run_folder::RunFiles files) {
  Client client;
  std::string line, fromEngine;
  std::array<pollfd, 3> ends{
      {{STDIN_FILENO, POLLIN, 0}, {socket, POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
  while (!client.isGone()) {
    waitForAny(ends.data(), ends.size(), -1);
    if ((ends[2].revents & (POLLERR | POLLHUP)) != 0) return;
    if (ends[1].revents != 0) {
      const bool hasMore = readAvailable(socket, fromEngine);
      const std::size_t whole = fromEngine.rfind('\n') + 1;
      client.send(std::string_view(fromEngine).substr(0, whole));
      fromEngine.erase(0, whole);
      if (!hasMore) return;
    }
    if (ends[0].revents == 0) continue;
    const bool hasMore = client.receive();
    while (client.next(line)) {
      if (const auto request = fileRequestIn(line)) {
        client.send(protocol::encode(files.answer(*request)) + '\n');
      } else {
        base::writeToDescriptor(socket, line + '\n', "the run's socket");
      }
    }
    if (hasMore) continue;
    ends[0].fd = -1;
    ::shutdown(socket, SHUT_WR);
  }
}

/// A run that `attach` serves itself: it has no process to connect to.
struct Served {
  using Send = std::function<void(const std::string& line)>;
  std::function<void(const protocol::ClientMessage& message, const Send& send)> answer;
  /// Called about once a second; false: it is to be attached anew.
  std::function<bool(const Send& send)> lookAgain;
};

/// Answers the client's line; false: it is of another version. Without its records a client has
/// nothing: throws Error where those cannot be read.
bool answerLine(const Served& run, const std::string& line, const Served::Send& send) {
  std::optional<protocol::ClientMessage> message;
  try {
    message = protocol::decodeClientMessage(line);
    run.answer(*message, send);
  } catch (const protocol::VersionMismatch& error) {
    send(protocol::encode(protocol::ErrorReply{"", error.what()}));
    return false;
  } catch (const Error& error) {
    if (message && std::holds_alternative<protocol::Hello>(*message)) throw;
    send(protocol::encode(protocol::ErrorReply{protocol::requestIdOf(line), error.what()}));
  }
  return true;
}

/// Until the end of standard input.
void serve(const Served& run) {
  Client client;
  std::string line;
  const auto send = [&](const std::string& answer) { client.send(answer + '\n'); };
  bool hasMore = true;
  while (hasMore && !client.isGone()) {
    std::array<pollfd, 2> ends{{{STDIN_FILENO, POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
    waitForAny(ends.data(), ends.size(), kLookAgainMs);
    if ((ends[1].revents & (POLLERR | POLLHUP)) != 0 || !run.lookAgain(send)) return;
    if (ends[0].revents == 0) continue;
    hasMore = client.receive();
    while (!client.isGone() && client.next(line))
      if (!answerLine(run, line, send)) return;
  }
}

/// Until the run has a process again.
void serveEnded(const run_folder::Layout& layout) {
  supervisor::EndedRun run(layout);
  serve({[&](const auto& message, const auto& send) { run.answer(message, send); },
         [&](const auto&) { return !run_folder::RunLock::isHeld(layout); }});
}

/// It never changes.
void servePacked(const fs::path& file) {
  const pack::PackedRun packed(file);
  const base::SignalCleanup cleanup({packed.folder()});
  supervisor::EndedRun run(packed.layout(),
                           run_folder::RunFiles(packed.layout(), packed.manifest().datasetFiles));
  serve({[&](const auto& message, const auto& send) { run.answer(message, send); },
         [](const auto&) { return true; }});
}

void serveForeign(const foreign_runs::ForeignRun& foreign) {
  AttachedForeignRun run(foreign);
  serve({[&](const auto& message, const auto& send) { run.answer(message, send); },
         [&](const auto& send) {
           run.sendAppended(send);
           return true;
         }});
}

int attach(const std::string& run) {
  std::error_code error;
  const fs::path folder = fs::canonical(run, error);
  ::signal(SIGPIPE, SIG_IGN);
  if (!error && (pack::isPackedRun(run) || pack::isPackedRun(folder))) {
    servePacked(folder);
    return static_cast<int>(ExitStatus::Done);
  }
  if (error || !run_folder::isRunFolder(folder)) {
    const auto foreign = error ? std::nullopt : foreign_runs::runIn(folder);
    if (error) throw UserError(run + ": no such run folder");
    if (!foreign)
      throw UserError(
          run +
          ": is not a run folder: it has neither run.json nor the log of a supported program");
    serveForeign(*foreign);
    return static_cast<int>(ExitStatus::Done);
  }
  const run_folder::Layout layout(folder);
  if (run_folder::RunLock::isHeld(layout)) {
    // From run.json: the supervisor's XDG_RUNTIME_DIR may differ from this shell's.
    const std::string socket = run_folder::readRunInfo(layout).socket;
    relay(supervisor::connectTo(socket).get(), run_folder::RunFiles(layout, socket));
  } else {
    serveEnded(layout);
  }
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addAttachCommand(Command& program) {
  Command command =
      program.command("attach",
                      "Connect standard input and output to a run, for example through ssh: to its "
                      "socket while it is running, then to its records and files");
  auto run = std::make_shared<std::string>();
  command.option("run", *run, "Run folder").required().metavar("RUN");
  command.run([run] { return attach(*run); });
}

}  // namespace lockstep::cli
