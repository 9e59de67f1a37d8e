#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <chrono>
#include <functional>
#include <vector>

namespace lockstep::widgets {

/// Draws what has asked for it, at most once a frame, one after another, and lets the event loop
/// go on in between: many plots that change at once never block it longer than one of them.
class DrawQueue : public QObject {
  Q_OBJECT

 public:
  static constexpr std::chrono::milliseconds kFrame{10};
  explicit DrawQueue(QObject* parent = nullptr);

  /// Calls `draw` soon, unless `owner` waits already or is destroyed before.
  void request(QObject* owner, std::function<void()> draw);
  bool isWaiting(const QObject* owner) const;

 private:
  struct Request {
    QPointer<QObject> owner;
    std::function<void()> draw;
  };
  void drawSome();
  void scheduleFrame();

  std::vector<Request> frame_;  ///< of the current frame, the next one last
  std::vector<Request> next_;   ///< of the next frame
  QElapsedTimer sinceFrame_;
  QTimer timer_;
};

}  // namespace lockstep::widgets
