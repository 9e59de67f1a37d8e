#include "engine/supervisor/stop_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace lockstep::supervisor {

namespace {

/// `nohup` and shells that start jobs in the background ignore signals on purpose.
bool isIgnored(int signal) {
  struct sigaction present {};
  return ::sigaction(signal, nullptr, &present) == 0 && present.sa_handler == SIG_IGN;
}

constexpr std::array kStopSignals{SIGINT, SIGTERM, SIGHUP};

sigset_t stopSignals() {
  sigset_t mask;
  sigemptyset(&mask);
  for (const int signal : kStopSignals) {
    if (!isIgnored(signal)) sigaddset(&mask, signal);
  }
  return mask;
}

}  // namespace

StopSignals::StopSignals(PollLoop& loop, std::function<void(const StopSignal&)> onStop,
                         std::function<void()> onChild)
    : loop_(loop), onStop_(std::move(onStop)), onChild_(std::move(onChild)) {
  sigset_t mask = stopSignals();
  sigaddset(&mask, SIGCHLD);
  fd_.reset(::signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC));
  if (!fd_.isOpen()) throw Error(std::string("signalfd: ") + std::strerror(errno));
  ::sigprocmask(SIG_BLOCK, &mask, &oldMask_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGPIPE, &ignore, &oldPipe_);
  loop_.watch(
      fd_.get(), [] { return short{POLLIN}; }, [this](short) { read(); });
}

StopSignals::~StopSignals() {
  loop_.unwatch(fd_.get());
  ::sigaction(SIGPIPE, &oldPipe_, nullptr);
  ::sigprocmask(SIG_SETMASK, &oldMask_, nullptr);
}

void StopSignals::read() {
  signalfd_siginfo info;
  while (::read(fd_.get(), &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) {
      onChild_();
    } else {
      if (signal != SIGHUP) ++counted_;
      onStop_({signal, counted_ > 1});
    }
  }
}

void endOnStopSignals() {
  struct sigaction end {};
  end.sa_handler = [](int) {
    constexpr std::string_view kText = "stopped before the run had begun\n";
    (void)!::write(STDERR_FILENO, kText.data(), kText.size());
    ::_exit(static_cast<int>(ExitStatus::Stopped));
  };
  for (const int signal : kStopSignals)
    if (!isIgnored(signal)) ::sigaction(signal, &end, nullptr);
}

void holdStopSignals() {
  const sigset_t mask = stopSignals();
  ::sigprocmask(SIG_BLOCK, &mask, nullptr);
}

std::optional<int> takeHeldStopSignal() {
  const sigset_t mask = stopSignals();
  const timespec atOnce{};
  const int signal = ::sigtimedwait(&mask, nullptr, &atOnce);
  return signal > 0 ? std::optional(signal) : std::nullopt;
}

std::string signalName(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? std::string("SIG") + name : "signal " + std::to_string(signal);
}

}  // namespace lockstep::supervisor
