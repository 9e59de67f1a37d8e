#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <chrono>

namespace lockstep::widgets {

/// Merges requests into at most one `due` per interval. The first request after a pause fires in
/// the next iteration of the event loop, so that a single new point is shown at once; requests
/// within the interval share one signal at its end.
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
