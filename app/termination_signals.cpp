#include "app/termination_signals.h"

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

/// Signal handler: only writes a byte to a pipe, which is async-signal-safe.
void forwardSignal(int number) {
  const int savedErrno = errno;
  const auto byte = static_cast<unsigned char>(number);
  [[maybe_unused]] const ssize_t written = ::write(writeEnd, &byte, 1);
  errno = savedErrno;
}

}  // namespace

TerminationSignals::TerminationSignals(std::function<void()> beforeExit, QObject* parent)
    : QObject(parent), beforeExit_(std::move(beforeExit)) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw Error("cannot create a pipe for signals");
  readEnd_.reset(ends[0]);
  writeEnd_.reset(ends[1]);
  writeEnd = ends[1];
  notifier_ = new QSocketNotifier(ends[0], QSocketNotifier::Read, this);
  connect(notifier_, &QSocketNotifier::activated, this, &TerminationSignals::end);
  struct sigaction action {};
  action.sa_handler = forwardSignal;
  action.sa_flags = SA_RESTART;
  for (const int number : kSignals) {
    // A signal that is ignored stays ignored (nohup).
    struct sigaction before {};
    if (::sigaction(number, nullptr, &before) != 0 || before.sa_handler == SIG_IGN) continue;
    if (::sigaction(number, &action, nullptr) == 0) before_.emplace_back(number, before);
  }
}

TerminationSignals::~TerminationSignals() {
  for (const auto& [number, before] : before_) ::sigaction(number, &before, nullptr);
  writeEnd = -1;
}

void TerminationSignals::end() {
  unsigned char number = 0;
  if (::read(readEnd_.get(), &number, 1) != 1) return;
  beforeExit_();
  QCoreApplication::exit(kSignalStatus + number);
}

}  // namespace lockstep::app
