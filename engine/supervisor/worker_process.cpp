#include "engine/supervisor/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "engine/base/error.h"
#include "engine/supervisor/stop_signals.h"

namespace lockstep::supervisor {
namespace fs = std::filesystem;
namespace {

/// A line of a log this long is cut: a worker that never ends its line must not fill the memory.
constexpr std::size_t kMaxLogLineBytes = 64 << 10;

[[noreturn]] void throwErrno(const std::string& what) {
  throw Error(what + ": " + std::strerror(errno));
}

struct ChildEnds {
  int socket, log, execStatus;
  pid_t parent;
};

/// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void becomeWorker(char* const* argv, const ChildEnds& ends) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != ends.parent) ::_exit(127);
  ::setpgid(0, 0);
  const int null = ::open("/dev/null", O_RDONLY);
  ::dup2(null, STDIN_FILENO);
  ::dup2(ends.log, STDOUT_FILENO);
  ::dup2(ends.log, STDERR_FILENO);
  ::fcntl(ends.socket, F_SETFD, 0);
  ::signal(SIGPIPE, SIG_DFL);
  // Slurm, systemd and a killed process group signal every process of a job: the supervisor alone
  // answers, with a checkpoint first. Ignored signals stay so through exec.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::execv(argv[0], argv);
  const int reason = errno;
  [[maybe_unused]] const ssize_t written = ::write(ends.execStatus, &reason, sizeof reason);
  ::_exit(127);
}

/// What a worker finds set unless its user has set it already.
void prepareEnvironment() {
  // So that CUDA numbers GPUs as NVML and nvidia-smi do, on machines with different ones too.
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", /*overwrite=*/0);
  // OpenMP's threads spin for milliseconds before they sleep, which takes the cores from loader
  // threads, other ranks and other programs. A thousand turns still cover the gaps within an
  // operator.
  if (std::getenv("OMP_WAIT_POLICY") == nullptr) {
    ::setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
  }
}

/// errno of an exec that failed; 0: it went well, which closes the pipe. A signal in between (a
/// window's size, a timer) is not an answer.
int execFault(int fd) {
  int reason = 0;
  ssize_t count = 0;
  do {
    count = ::read(fd, &reason, sizeof reason);
  } while (count < 0 && errno == EINTR);
  return count == sizeof reason ? reason : 0;
}

/// Its status as waitpid(2) gives it.
int waitFor(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

/// Whether the child has ended and waits to be reaped: until then its number is nobody else's.
bool hasEnded(pid_t pid) {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         state.si_pid == pid;
}

struct Pipe {
  base::FileDescriptor read, write;
};

Pipe makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throwErrno("pipe");
  return {base::FileDescriptor(ends[0]), base::FileDescriptor(ends[1])};
}

}  // namespace

std::string WorkerExit::describe() const {
  return bySignal ? signalName(code) : "exit status " + std::to_string(code);
}

fs::path workerProgramBesideThis() {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "lockstep-worker";
  if (!fs::exists(program)) {
    throw Error(program.string() +
                ": is not there; lockstep-worker belongs beside lockstep-engine (build it with "
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
  waitFor(pid_);
}

void WorkerProcess::start(const fs::path& program, const protocol::Job& job) {
  std::string jobLine = protocol::encode(protocol::SupervisorMessage(job));
  if (jobLine.size() > protocol::kMaxLineBytes) {
    throw base::mendable(std::string("the job '") + protocol::nameOf(job.work) +
                         "' names more than fits into a message (1 MiB): name less at once");
  }
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throwErrno("socketpair");
  socket_.reset(ends[0]);
  base::FileDescriptor childSocket(ends[1]);
  Pipe log = makePipe();
  Pipe execStatus = makePipe();

  // The rank is for people who read `ps`; the worker takes it from the job.
  std::vector<std::string> words{program.string(), "--fd", std::to_string(childSocket.get()),
                                 "--rank", std::to_string(job.place.localRank)};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  prepareEnvironment();
  const ChildEnds childEnds{childSocket.get(), log.write.get(), execStatus.write.get(), ::getpid()};
  const pid_t pid = ::fork();
  if (pid < 0) throwErrno("fork");
  if (pid == 0) becomeWorker(argv.data(), childEnds);
  ::setpgid(pid, pid);  // in both processes, so that it holds whichever runs first
  execStatus.write.reset();
  if (const int reason = execFault(execStatus.read.get())) {
    waitFor(pid);
    throw Error(program.string() + ": cannot be started: " + std::strerror(reason));
  }

  pid_ = pid;
  log_ = std::move(log.read);
  ::fcntl(log_.get(), F_SETFL, O_NONBLOCK);
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
  const int status = waitFor(pid_);
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
      // Engine and worker of different builds, or a damaged worker: nothing it says can be relied
      // on.
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
