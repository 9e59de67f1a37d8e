#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <chrono>

namespace lockstep::widgets {

/// Turns any number of requests into at most one `due` per interval. The first request after a
/// pause fires on the next turn of the event loop, so that a single new point is not late; requests
/// meanwhile share the end of the interval.
class Throttle : public QObject {
  Q_OBJECT

 public:
  explicit Throttle(std::chrono::milliseconds interval = std::chrono::milliseconds(40),
                    QObject* parent = nullptr);

  void request();
  bool isPending() const { return timer_.isActive(); }

 Q_SIGNALS:
  void due();

 private:
  void fire();

  std::chrono::milliseconds interval_;
  QTimer timer_;
  QElapsedTimer sinceLast_;
};

}  // namespace lockstep::widgets
