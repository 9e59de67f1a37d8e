#pragma once

#include <QObject>
#include <functional>
#include <optional>
#include <utility>

#include "widgets/jobs/jobs.h"

namespace lockstep::jobs {

/// Runs jobs one at a time, and delivers only the newest result: a new request replaces one that is
/// still waiting, and drops the result of the one that is running.
///
/// For one thread; no method blocks. A job must not throw, nor refer to what its owner owns.
template <typename Result>
class LatestJob {
 public:
  explicit LatestJob(std::function<void(const Result&)> deliver, Kind kind = Kind::Processor)
      : deliver_(std::move(deliver)), kind_(kind) {}
  LatestJob(const LatestJob&) = delete;
  LatestJob& operator=(const LatestJob&) = delete;

  void request(std::function<Result()> job) {
    dropped_ = job_.isRunning();
    if (dropped_) {
      waiting_ = std::move(job);
    } else {
      start(std::move(job));
    }
  }
  /// Drops the waiting request and the result of the running job.
  void cancel() {
    waiting_.reset();
    dropped_ = job_.isRunning();
  }
  /// True if no result will be delivered.
  bool isIdle() const { return !waiting_ && (!job_.isRunning() || dropped_); }

 private:
  void start(std::function<Result()> job) {
    dropped_ = false;
    job_ = jobs::start(&context_, kind_, std::move(job),
                       [this](const Result& result) { finish(result); });
  }
  void finish(const Result& result) {
    const bool dropped = std::exchange(dropped_, false);
    if (waiting_) {
      start(*std::exchange(waiting_, std::nullopt));
    } else if (!dropped) {
      deliver_(result);
    }
  }

  QObject context_;
  std::function<void(const Result&)> deliver_;
  Kind kind_;
  Job job_;
  std::optional<std::function<Result()>> waiting_;
  bool dropped_ = false;
};

}  // namespace lockstep::jobs
