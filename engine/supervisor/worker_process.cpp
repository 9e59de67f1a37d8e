#include "engine/supervisor/worker_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <utility>

#include "engine/base/error.h"
#include "engine/supervisor/stop_signals.h"
#include "engine/supervisor/worker_launch.h"

namespace lockstep::supervisor {
namespace fs = std::filesystem;
namespace {

/// A line of a log this long is cut: a worker that never ends its line must not fill the memory.
constexpr std::size_t kMaxLogLineBytes = 64 << 10;

/// Whether the child has ended and waits to be reaped: until then its number is nobody else's.
bool hasEnded(pid_t pid) {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid;
}

}  // namespace

std::string WorkerExit::describe() const {
  return bySignal ? signalName(code) : "exit status " + std::to_string(code);
}

fs::path workerProgramBesideThis() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "lockstep-worker";
  if (!fs::exists(program)) {
    throw Error(program.string() +
                ": not found; lockstep-worker must be beside lockstep-engine (build it with "
                "LOCKSTEP_COMPUTE=ON)");
  }
  return program;
}

WorkerProcess::WorkerProcess(PollLoop& loop, Handlers handlers)
    : loop_(loop), handlers_(std::move(handlers)) {}

WorkerProcess::~WorkerProcess() {
  if (reaper_) loop_.cancel(*reaper_);
  closeSocket();
  closeLog();
  if (!isRunning()) return;
  kill();
  waitForExit(pid_);
}

void WorkerProcess::start(const fs::path& program, const protocol::Job& job) {
  std::string jobLine = protocol::encode(protocol::SupervisorMessage(job));
  if (jobLine.size() > protocol::kMaxLineBytes) {
    throw UserError(std::string("the job '") + protocol::nameOf(job.work) +
                    "' is longer than a message may be (1 MiB): give it fewer paths");
  }
  LaunchedWorker worker = launchWorker(program, job.placement.localRank);
  pid_ = worker.pid;
  socket_ = std::move(worker.socket);
  log_ = std::move(worker.log);
  outgoing_.add(std::move(jobLine));
  loop_.watch(
      socket_.get(),
      [this] { return static_cast<short>(POLLIN | (outgoing_.isEmpty() ? 0 : POLLOUT)); },
      [this](short events) {
        if ((events & POLLOUT) != 0) outgoing_.flush(socket_.get());
        if ((events & ~POLLOUT) != 0) readMessages(Extent::OneTurn);
      });
  loop_.watch(
      log_.get(), [] { return short{POLLIN}; }, [this](short) { readLog(Extent::OneTurn); });
  // In a process with other threads SIGCHLD may go to one of them and be lost here.
  reaper_ = loop_.every(std::chrono::seconds(1), [this] { reap(); });
}

void WorkerProcess::send(const protocol::Control& control) {
  if (!socket_.isOpen()) return;
  outgoing_.add(protocol::encode(protocol::SupervisorMessage(control)));
  outgoing_.flush(socket_.get());  // a broken socket shows as its end when it is read
}

bool WorkerProcess::isStopped() const {
  siginfo_t state{};
  return isRunning() &&
         ::waitid(P_PID, static_cast<id_t>(pid_), &state, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid_;
}

void WorkerProcess::kill() {
  if (isRunning()) ::kill(-pid_, SIGKILL);
}

void WorkerProcess::reap() {
  if (!isRunning() || !hasEnded(pid_)) return;
  // What it sent before it ended comes first.
  if (socket_.isOpen()) readMessages(Extent::Everything);
  if (log_.isOpen()) readLog(Extent::Everything);
  ::kill(-pid_, SIGKILL);  // whatever it started
  const int status = waitForExit(pid_);
  pid_ = -1;
  closeSocket();
  if (!logBuffer_.empty()) handlers_.logLine(std::exchange(logBuffer_, {}));
  closeLog();
  const bool bySignal = WIFSIGNALED(status);
  handlers_.exited({bySignal, bySignal ? WTERMSIG(status) : WEXITSTATUS(status)});
}

void WorkerProcess::readMessages(Extent extent) {
  std::array<char, 64 << 10> bytes;
  // A worker that sends without a pause must not keep the loop from its other work.
  for (int round = 0; extent == Extent::Everything || round < 8; ++round) {
    const ssize_t count = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) return closeSocket();
    received_.append({bytes.data(), static_cast<std::size_t>(count)});
    handleMessages();
    if (!socket_.isOpen()) return;
  }
}

void WorkerProcess::handleMessages() {
  std::string line;
  while (true) {
    const auto result = received_.next(line);
    if (result == protocol::LineBuffer::Result::NeedMore) return;
    protocol::WorkerMessage message;
    try {
      if (result == protocol::LineBuffer::Result::TooLong) throw Error("a line over 1 MiB");
      message = protocol::decodeWorkerMessage(line);
    } catch (const Error& error) {
      // Engine and worker of different builds, or a faulty worker: no message of it can be trusted.
      protocol::Failed failed;
      failed.message = std::string("the worker's message cannot be read: ") + error.what();
      failed.cause = protocol::FailureCause::Protocol;
      message = std::move(failed);
      kill();
    }
    handlers_.message(message);
  }
}

void WorkerProcess::readLog(Extent extent) {
  std::array<char, 16 << 10> bytes;
  for (int round = 0; extent == Extent::Everything || round < 8; ++round) {
    const ssize_t count = ::read(log_.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return;
    if (count == 0) return closeLog();
    logBuffer_.append(bytes.data(), static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = logBuffer_.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
      handlers_.logLine(logBuffer_.substr(begin, end - begin));
    }
    logBuffer_.erase(0, begin);
    if (logBuffer_.size() > kMaxLogLineBytes) handlers_.logLine(std::exchange(logBuffer_, {}));
  }
}

void WorkerProcess::closeSocket() {
  if (socket_.isOpen()) loop_.unwatch(socket_.get());
  socket_.reset();
}

void WorkerProcess::closeLog() {
  if (log_.isOpen()) loop_.unwatch(log_.get());
  log_.reset();
}

}  // namespace lockstep::supervisor
