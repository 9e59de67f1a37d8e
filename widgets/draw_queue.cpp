#include "widgets/draw_queue.h"

#include <algorithm>
#include <utility>

namespace lockstep::widgets {
namespace {

/// Of a frame's drawings, how many are done before other events get their turn.
constexpr std::chrono::milliseconds kSlice{6};

}  // namespace

DrawQueue::DrawQueue(QObject* parent) : QObject(parent) {
  timer_.setSingleShot(true);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, &DrawQueue::drawSome);
}

void DrawQueue::request(QObject* owner, std::function<void()> draw) {
  if (isWaiting(owner)) return;
  next_.push_back({owner, std::move(draw)});
  if (frame_.empty()) scheduleFrame();
}

bool DrawQueue::isWaiting(const QObject* owner) const {
  const auto isOf = [owner](const Request& request) { return request.owner == owner; };
  return std::any_of(frame_.begin(), frame_.end(), isOf) ||
         std::any_of(next_.begin(), next_.end(), isOf);
}

void DrawQueue::scheduleFrame() {
  if (timer_.isActive()) return;
  const auto passed =
      sinceFrame_.isValid() ? std::chrono::milliseconds(sinceFrame_.elapsed()) : kFrame;
  timer_.start(std::max(std::chrono::milliseconds(0), kFrame - passed));
}

void DrawQueue::drawSome() {
  if (frame_.empty()) {
    sinceFrame_.start();
    frame_ = std::exchange(next_, {});
    std::reverse(frame_.begin(), frame_.end());
  }
  QElapsedTimer slice;
  slice.start();
  while (!frame_.empty() && std::chrono::milliseconds(slice.elapsed()) < kSlice) {
    const Request request = std::move(frame_.back());
    frame_.pop_back();
    if (request.owner) request.draw();
  }
  if (!frame_.empty()) {
    timer_.start(std::chrono::milliseconds(0));
  } else if (!next_.empty()) {
    scheduleFrame();
  }
}

}  // namespace lockstep::widgets
