#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "engine/base/error.h"
#include "engine/cli/commands.h"
#include "engine/run_folder/run_folder.h"
#include "engine/supervisor/socket_server.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

enum class Copied { Some, EndOfFile };

/// Copies the available bytes from one descriptor to the other; blocks until all are written.
Copied copyAvailable(int from, int to) {
  std::array<char, 64 << 10> bytes;
  ssize_t count;
  do {
    count = ::read(from, bytes.data(), bytes.size());
  } while (count < 0 && errno == EINTR);
  if (count <= 0) return Copied::EndOfFile;
  for (ssize_t sent = 0; sent < count;) {
    const ssize_t written =
        ::write(to, bytes.data() + sent, static_cast<std::size_t>(count - sent));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Copied::EndOfFile;
    sent += written;
  }
  return Copied::Some;
}

/// Relays both ways until the engine closes the socket or standard output has no reader any more.
/// After the end of standard input the engine's messages are still relayed.
void relay(int socket) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<pollfd, 3> ends{
      {{STDIN_FILENO, POLLIN, 0}, {socket, POLLIN, 0}, {STDOUT_FILENO, 0, 0}}};
  while (true) {
    if (::poll(ends.data(), ends.size(), -1) < 0) {
      if (errno == EINTR) continue;
      throw Error(std::string("poll: ") + std::strerror(errno));
    }
    if ((ends[2].revents & (POLLERR | POLLHUP)) != 0) return;
    if (ends[1].revents != 0 && copyAvailable(socket, STDOUT_FILENO) == Copied::EndOfFile) return;
    if (ends[0].revents != 0 && copyAvailable(STDIN_FILENO, socket) == Copied::EndOfFile) {
      ends[0].fd = -1;
      ::shutdown(socket, SHUT_WR);
    }
  }
}

int attach(const std::string& run) {
  std::error_code error;
  const fs::path folder = fs::canonical(run, error);
  if (error || !run_folder::isRunFolder(folder)) throw UserError(run + ": no such run folder");
  if (!run_folder::RunLock::isHeld(run_folder::Layout(folder))) {
    throw UserError(run + ": is not running: there is nothing to attach to");
  }
  // From run.json: the supervisor's XDG_RUNTIME_DIR may differ from this shell's.
  const std::string socket = run_folder::readRunInfo(run_folder::Layout(folder)).socket;
  relay(supervisor::connectTo(socket).get());
  return static_cast<int>(ExitStatus::Done);
}

}  // namespace

void addAttachCommand(Command& program) {
  Command command =
      program.command("attach",
                      "Connect standard input and output to a running run's socket, for example "
                      "through ssh");
  auto run = std::make_shared<std::string>();
  command.option("run", *run, "Run folder").required().metavar("RUN");
  command.run([run] { return attach(*run); });
}

}  // namespace lockstep::cli
