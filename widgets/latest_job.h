#pragma once

#include <QFutureWatcher>
#include <QtConcurrentRun>
#include <functional>
#include <optional>
#include <utility>

namespace lockstep::widgets {

/// Runs jobs off the GUI thread, one at a time, and delivers only the newest result: a new request
/// replaces one that is still waiting, and drops the result of the one that is running.
///
/// Use it on the GUI thread only. The destructor waits for the running job. A job must not throw;
/// Result must be copyable.
template <typename Result>
class LatestJob {
 public:
  explicit LatestJob(std::function<void(const Result&)> deliver) : deliver_(std::move(deliver)) {
    QObject::connect(&watcher_, &QFutureWatcher<Result>::finished, &watcher_, [this] { finish(); });
  }
  ~LatestJob() {
    waiting_.reset();
    watcher_.disconnect();
    watcher_.waitForFinished();
  }
  LatestJob(const LatestJob&) = delete;
  LatestJob& operator=(const LatestJob&) = delete;

  void request(std::function<Result()> job) {
    dropped_ = running_;
    if (running_) {
      waiting_ = std::move(job);
    } else {
      start(std::move(job));
    }
  }
  /// Drops the waiting request and the result of the running job.
  void cancel() {
    waiting_.reset();
    dropped_ = running_;
  }
  /// True if no result will be delivered.
  bool isIdle() const { return !waiting_ && (!running_ || dropped_); }

 private:
  void start(std::function<Result()> job) {
    running_ = true;
    dropped_ = false;
    watcher_.setFuture(QtConcurrent::run(std::move(job)));
  }
  void finish() {
    running_ = false;
    const bool dropped = std::exchange(dropped_, false);
    if (waiting_) {
      start(*std::exchange(waiting_, std::nullopt));
    } else if (!dropped) {
      deliver_(watcher_.result());
    }
  }

  std::function<void(const Result&)> deliver_;
  QFutureWatcher<Result> watcher_;
  std::optional<std::function<Result()>> waiting_;
  bool running_ = false;
  bool dropped_ = false;
};

}  // namespace lockstep::widgets
