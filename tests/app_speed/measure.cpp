#include "tests/app_speed/measure.h"

#include <time.h>

#include <QCoreApplication>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace lockstep::speed {
namespace {

/// Handles the next events, or returns after 2 ms. (With a time of its own, processEvents() does
/// not wait but spins.)
void waitForEvents() {
  QTimer wake;
  wake.setTimerType(Qt::PreciseTimer);
  wake.start(2);
  QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

}  // namespace

void print(const char* name, double value) {
  std::printf("%s=%.2f\n", name, value);
  std::fflush(stdout);
}

double median(std::vector<double> values) { return percentile(std::move(values), 0.5); }

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

double millisecondsOf(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

double privateMebibytes() {
  std::ifstream smaps("/proc/self/smaps_rollup");
  std::string line;
  double kibibytes = 0;
  while (std::getline(smaps, line))
    if (line.starts_with("Private_Dirty:") || line.starts_with("Private_Clean:"))
      kibibytes += std::stod(line.substr(14));
  return kibibytes / 1024;
}

double cpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double threadCpuMilliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

void waitUntil(const char* what, const std::function<bool()>& condition) {
  QElapsedTimer clock;
  clock.start();
  while (!condition()) {
    waitForEvents();
    if (clock.elapsed() < 60000) continue;
    std::fprintf(stderr, "app_speed: waited a minute for: %s\n", what);
    std::exit(1);
  }
}

void runFor(int milliseconds) {
  QElapsedTimer clock;
  clock.start();
  while (clock.elapsed() < milliseconds) waitForEvents();
}

app::MainWindowOptions windowOn(const QStringList& paths) {
  app::MainWindowOptions options;
  options.paths = paths;
  options.size = QSize(1600, 1000);
  options.keepLayout = false;
  return options;
}

}  // namespace lockstep::speed
