#include "widgets/throttle.h"

#include <algorithm>

namespace lockstep::widgets {

Throttle::Throttle(std::chrono::milliseconds interval, QObject* parent)
    : QObject(parent), interval_(interval) {
  timer_.setSingleShot(true);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, &Throttle::fire);
}

void Throttle::request() {
  if (timer_.isActive()) return;
  const auto passed =
      sinceLast_.isValid() ? std::chrono::milliseconds(sinceLast_.elapsed()) : interval_;
  timer_.start(std::max(std::chrono::milliseconds(0), interval_ - passed));
}

void Throttle::fire() {
  sinceLast_.start();
  Q_EMIT due();
}

}  // namespace lockstep::widgets
