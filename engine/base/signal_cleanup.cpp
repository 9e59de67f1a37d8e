#include "engine/base/signal_cleanup.h"

#include <pthread.h>

#include <system_error>
#include <utility>

namespace lockstep::base {

SignalCleanup::SignalCleanup(std::vector<std::filesystem::path> paths) : paths_(std::move(paths)) {
  ::sigemptyset(&signals_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals_, number);
  ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  thread_ = std::thread([this] { wait(); });
}

SignalCleanup::~SignalCleanup() {
  isEnding_ = true;
  ::pthread_kill(thread_.native_handle(), SIGHUP);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void SignalCleanup::wait() {
  int number = 0;
  ::sigwait(&signals_, &number);
  if (isEnding_) return;
  std::error_code ignored;
  for (const std::filesystem::path& path : paths_) std::filesystem::remove_all(path, ignored);
  std::signal(number, SIG_DFL);
  ::pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
  std::raise(number);
}

}  // namespace lockstep::base
