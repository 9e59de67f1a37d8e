#include "engine/supervisor/detach.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/base/input_file.h"
#include "engine/supervisor/stop_signals.h"

namespace lockstep::supervisor {
namespace {

constexpr char kReady = 'R';
constexpr char kFault = 'F';

/// `F`, the exit status, the message: sent by the child if it fails before its socket answers.
void report(int fd, ExitStatus status, const std::string& message) {
  const std::string text = std::string{kFault, static_cast<char>(status)} + message;
  [[maybe_unused]] const ssize_t written = ::write(fd, text.data(), text.size());
}

std::string readAll(int fd) {
  std::string text;
  std::array<char, 4096> bytes;
  while (true) {
    const ssize_t count = ::read(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(bytes.data(), static_cast<std::size_t>(count));
    if (text[0] == kReady) return text;
  }
}

void redirectStreams(const std::filesystem::path& log) {
  const base::FileDescriptor null(::open("/dev/null", O_RDONLY));
  const base::FileDescriptor file = base::openRegularFile(log, O_WRONLY | O_CREAT | O_APPEND);
  ::dup2(null.get(), STDIN_FILENO);
  ::dup2(file.get(), STDOUT_FILENO);
  ::dup2(file.get(), STDERR_FILENO);
}

int runChild(base::FileDescriptor toParent, const std::filesystem::path& log,
             const std::function<int(const std::function<void()>&)>& body) {
  ::setsid();
  const auto ready = [&toParent] {
    if (!toParent.isOpen()) return;
    [[maybe_unused]] const ssize_t written = ::write(toParent.get(), &kReady, 1);
    toParent.reset();
  };
  try {
    redirectStreams(log);
    return body(ready);
  } catch (const Error& error) {
    if (toParent.isOpen()) report(toParent.get(), error.status(), error.what());
    throw;
  } catch (const std::exception& error) {
    if (toParent.isOpen()) report(toParent.get(), ExitStatus::Failed, error.what());
    throw;
  }
}

/// A signal that arrived before the run could handle it is passed to the run, which stops with a
/// checkpoint.
int forwardStopSignal(pid_t run) {
  const auto signal = takeHeldStopSignal();
  if (!signal) return static_cast<int>(ExitStatus::Done);
  ::kill(run, *signal);
  return static_cast<int>(ExitStatus::Stopped);
}

}  // namespace

void closeInheritedDescriptors() { ::close_range(STDERR_FILENO + 1, ~0U, 0); }

Detached runDetached(const std::filesystem::path& log,
                     const std::function<int(const std::function<void()>&)>& body) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(std::string("pipe: ") + std::strerror(errno));
  base::FileDescriptor fromChild(ends[0]), toParent(ends[1]);
  const pid_t pid = ::fork();
  if (pid < 0) throw Error(std::string("fork: ") + std::strerror(errno));
  if (pid == 0) {
    fromChild.reset();
    return {false, runChild(std::move(toParent), log, body)};
  }
  toParent.reset();
  const std::string answer = readAll(fromChild.get());
  if (!answer.empty() && answer[0] == kReady) return {true, forwardStopSignal(pid)};
  ::waitpid(pid, nullptr, 0);
  if (answer.size() >= 2) throw Error(answer.substr(2), static_cast<ExitStatus>(answer[1]));
  throw Error("the run exited before its socket answered: see " + log.string());
}

}  // namespace lockstep::supervisor
