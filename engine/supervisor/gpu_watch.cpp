#include "engine/supervisor/gpu_watch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep::supervisor {
namespace {

constexpr int kRoundMs = 1000;
constexpr int kEndMs = 100;

/// What goes through the pipe: this program on both sides, and one write is whole.
struct Reading {
  std::size_t position = 0;
  GpuFigures figures;
};

/// False when the reader is gone.
bool send(int fd, const Reading& reading) {
  return ::write(fd, &reading, sizeof reading) == sizeof reading;
}

/// Waits for the next sample. False when the reader is gone.
bool waitForRound(int fd) {
  pollfd listener{fd, 0, 0};
  return ::poll(&listener, 1, kRoundMs) == 0;
}

void sampleUntilClosed(int fd, const std::vector<int>& indices, const char* library) {
  const Nvml nvml(library);
  if (!nvml.isUsable()) return;
  std::vector<Nvml::Handle> gpus;
  for (const int index : indices) gpus.push_back(nvml.open(static_cast<unsigned>(index)));
  do {
    for (std::size_t position = 0; position < gpus.size(); ++position) {
      if (gpus[position] == nullptr) continue;
      const Reading reading{position, nvml.figures(gpus[position])};
      if (reading.figures.isLost) gpus[position] = nullptr;
      if (!send(fd, reading)) return;
    }
  } while (waitForRound(fd));
}

/// The other process. It holds nothing of this one but the pipe (the lock of a run folder would
/// outlive the run), and leaves signals to it.
[[noreturn]] void watch(int pipe, pid_t parent, const std::vector<int>& indices,
                        const char* library) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);
  ::prctl(PR_SET_NAME, "lockstep-nvml");  // for people who read `ps`
  ::setpgid(0, 0);
  constexpr int kPipe = STDERR_FILENO + 1;
  if (pipe != kPipe) ::dup2(pipe, kPipe);
  ::close_range(kPipe + 1, ~0U, 0);
  const int null = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(null, stream);
  ::signal(SIGPIPE, SIG_IGN);
  sampleUntilClosed(kPipe, indices, library);
  ::_exit(0);
}

}  // namespace

GpuWatch::GpuWatch(PollLoop& loop, std::vector<int> indices, Handler handler,
                   const std::string& library)
    : loop_(loop), handler_(std::move(handler)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    error_ = std::string("pipe: ") + std::strerror(errno);
    return;
  }
  figures_.reset(ends[0]);
  const base::FileDescriptor toHere(ends[1]);
  ::fcntl(figures_.get(), F_SETFL, O_NONBLOCK);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) watch(toHere.get(), parent, indices, library.c_str());
  if (pid_ < 0) {
    error_ = std::string("fork: ") + std::strerror(errno);
    figures_.reset();
    return;
  }
  loop_.watch(
      figures_.get(), [] { return short{POLLIN}; }, [this](short) { read(); });
}

GpuWatch::~GpuWatch() { end(); }

void GpuWatch::end() {
  if (figures_.isOpen()) loop_.unwatch(figures_.get());
  figures_.reset();
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  // Within a call to a broken driver not even that ends it: then it is left to the system.
  const base::FileDescriptor process(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  pollfd ended{process.get(), POLLIN, 0};
  ::poll(&ended, 1, kEndMs);
  ::waitpid(pid_, nullptr, WNOHANG);
  pid_ = -1;
}

void GpuWatch::read() {
  Reading reading;
  while (figures_.isOpen()) {
    const ssize_t count = ::read(figures_.get(), &reading, sizeof reading);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count != sizeof reading) return end();  // the other process is gone
    handler_(reading.position, reading.figures);
  }
}

}  // namespace lockstep::supervisor
