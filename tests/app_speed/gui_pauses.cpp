#include "tests/app_speed/gui_pauses.h"

#include <QCoreApplication>
#include <QEvent>
#include <chrono>
#include <utility>

namespace lockstep::speed {
namespace {

using Clock = std::chrono::steady_clock;

struct Probe : QEvent {
  Probe() : QEvent(QEvent::User), postedAt(Clock::now()) {}
  Clock::time_point postedAt;
};

}  // namespace

GuiPauses::GuiPauses() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    // Waits for the last one, so that a long pause is one delay and not hundreds.
    while (!stop.stop_requested()) {
      if (!isWaiting_.exchange(true))
        QCoreApplication::postEvent(this, new Probe, Qt::HighEventPriority);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
}

GuiPauses::~GuiPauses() {
  thread_.request_stop();
  thread_.join();
  QCoreApplication::removePostedEvents(this);
}

std::vector<double> GuiPauses::take() { return std::exchange(delays_, {}); }

bool GuiPauses::event(QEvent* event) {
  if (event->type() != QEvent::User) return QObject::event(event);
  const auto* probe = static_cast<const Probe*>(event);
  delays_.push_back(
      std::chrono::duration<double, std::milli>(Clock::now() - probe->postedAt).count());
  isWaiting_ = false;
  return true;
}

}  // namespace lockstep::speed
