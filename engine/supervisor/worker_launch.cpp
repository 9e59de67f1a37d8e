#include "engine/supervisor/worker_launch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "engine/base/error.h"

namespace lockstep::supervisor {
namespace {

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

struct Pipe {
  base::FileDescriptor read, write;
};

Pipe makePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throwErrno("pipe");
  return {base::FileDescriptor(ends[0]), base::FileDescriptor(ends[1])};
}

}  // namespace

LaunchedWorker launchWorker(const std::filesystem::path& program, int localRank) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throwErrno("socketpair");
  LaunchedWorker worker;
  worker.socket.reset(ends[0]);
  const base::FileDescriptor childSocket(ends[1]);
  Pipe log = makePipe();
  Pipe execStatus = makePipe();

  // The rank is for people who read `ps`; the worker takes it from the job.
  std::vector<std::string> words{program.string(), "--fd", std::to_string(childSocket.get()),
                                 "--rank", std::to_string(localRank)};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  prepareEnvironment();
  const ChildEnds childEnds{childSocket.get(), log.write.get(), execStatus.write.get(), ::getpid()};
  worker.pid = ::fork();
  if (worker.pid < 0) throwErrno("fork");
  if (worker.pid == 0) becomeWorker(argv.data(), childEnds);
  ::setpgid(worker.pid, worker.pid);  // in both processes, so that it holds whichever runs first
  execStatus.write.reset();
  if (const int reason = execFault(execStatus.read.get())) {
    waitForExit(worker.pid);
    throw Error(program.string() + ": cannot be started: " + std::strerror(reason));
  }
  worker.log = std::move(log.read);
  ::fcntl(worker.log.get(), F_SETFL, O_NONBLOCK);
  return worker;
}

int waitForExit(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace lockstep::supervisor
