#include "app/ending_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QSocketNotifier>
#include <cerrno>

#include "engine/base/error.h"

namespace lockstep::app {
namespace {

constexpr int kSignals[] = {SIGTERM, SIGHUP, SIGINT};
constexpr int kSignalStatus = 128;
volatile sig_atomic_t writeEnd = -1;

/// In a signal handler a byte into a pipe is all that may be done.
void passOn(int number) {
  const int kept = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = ::write(writeEnd, &byte, 1);
  errno = kept;
}

}  // namespace

EndingSignals::EndingSignals(std::function<void()> beforeEnd, QObject* parent)
    : QObject(parent), beforeEnd_(std::move(beforeEnd)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw Error("no pipe for signals can be made");
  readEnd_.reset(ends[0]);
  writeEnd_.reset(ends[1]);
  writeEnd = ends[1];
  notifier_ = new QSocketNotifier(ends[0], QSocketNotifier::Read, this);
  connect(notifier_, &QSocketNotifier::activated, this, &EndingSignals::end);
  struct sigaction action {};
  action.sa_handler = passOn;
  action.sa_flags = SA_RESTART;
  for (const int number : kSignals) {
    // Whoever started the program may want it to ignore them (nohup).
    struct sigaction before {};
    if (::sigaction(number, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    if (::sigaction(number, &action, nullptr) == 0) before_.emplace_back(number, before);
  }
}

EndingSignals::~EndingSignals() {
  for (const auto& [number, before] : before_) ::sigaction(number, &before, nullptr);
  writeEnd = -1;
}

void EndingSignals::end() {
  unsigned char number = 0;
  if (::read(readEnd_.get(), &number, 1) != 1) return;
  beforeEnd_();
  QCoreApplication::exit(kSignalStatus + number);
}

}  // namespace lockstep::app
