#pragma once

#include <QCache>
#include <QHash>
#include <QObject>
#include <QPointer>
#include <QSet>
#include <QString>
#include <QStringList>
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "widgets/jobs/jobs.h"
#include "widgets/jobs/latest_job.h"

namespace lockstep::jobs {

/// Loads results by key, a few at a time, and keeps the most recently used ones. New
/// requests replace old ones that have not started. For one thread; no method blocks.
template <typename Result>
class KeyedLoader {
 public:
  struct Request {
    QString key;
    std::function<Result()> load;  ///< any thread; must not throw
    /// The same; true: a result that is in memory is to be loaded anew. Null: never.
    std::function<bool(const Result&)> isOutdated{};
  };
  /// Brings the file of a key to the disk, from another machine, and calls `done` later, in the
  /// same thread, also if that failed.
  using Bring = std::function<void(const QString& key, std::function<void()> done)>;

  /// `atOnce`: loads side by side. `capacity` in units of `cost`; `loaded` is called on the GUI
  /// thread.
  KeyedLoader(int atOnce, qint64 capacity, std::function<qint64(const Result&)> cost,
              std::function<void(const QString& key)> loaded, Kind kind = Kind::Disk)
      : atOnce_(atOnce),
        cache_(capacity),
        cost_(std::move(cost)),
        loaded_(std::move(loaded)),
        kind_(kind) {}
  KeyedLoader(const KeyedLoader&) = delete;
  KeyedLoader& operator=(const KeyedLoader&) = delete;

  /// In units of `cost`.
  void setCapacity(qint64 capacity) { cache_.setMaxCost(capacity); }

  /// Called before each later load. Null: the files are there. What the one before has not brought
  /// yet is dropped.
  void setBring(Bring bring) {
    bring_ = std::move(bring);
    ++round_;
    running_.removeIf([](const auto& load) { return !load.value().isRunning(); });
  }

  /// The result if it is in memory, else nullptr.
  std::shared_ptr<const Result> find(const QString& key) const {
    const auto* result = cache_.object(key);
    return result ? *result : nullptr;
  }

  /// Loads the results that are not in memory, in this order, then those that are outdated, which
  /// are found meanwhile until they are loaded. Loads that have started go on: their results may
  /// be needed.
  void load(const std::vector<Request>& requests) {
    outdated_.clear();
    waiting_.assign(requests.begin(), requests.end());
    startWaiting();
    lookForOutdated(requests);
  }

  /// Of later loads: which results forgetFailures() is about.
  void setIsFailure(std::function<bool(const Result&)> isFailure) {
    isFailure_ = std::move(isFailure);
  }
  /// So that they are loaded again when they are asked for.
  void forgetFailures() {
    for (const QString& key : std::exchange(failures_, {})) cache_.remove(key);
  }

  /// Has a result in memory that others may have driven out.
  void keep(const QString& key, const std::shared_ptr<const Result>& result) {
    // A result larger than the whole cache must still be shown: it takes all of the cache.
    const qint64 cost = std::clamp<qint64>(cost_(*result), 1, cache_.maxCost());
    cache_.insert(key, new std::shared_ptr<const Result>(result), cost);
  }

  void clear() {
    waiting_.clear();
    looking_.cancel();
    outdated_.clear();
    for (Job& job : running_) job.cancel();
    running_.clear();
    cache_.clear();
    failures_.clear();
    ++round_;
  }

 private:
  void lookForOutdated(const std::vector<Request>& requests) {
    std::vector<std::pair<Request, std::shared_ptr<const Result>>> kept;
    for (const Request& request : requests)
      if (const auto result = find(request.key); result && request.isOutdated)
        kept.emplace_back(request, result);
    if (kept.empty()) return looking_.cancel();
    looking_.request([kept = std::move(kept)] {
      std::vector<Request> outdated;
      for (const auto& [request, result] : kept)
        if (request.isOutdated(*result)) outdated.push_back(request);
      return outdated;
    });
  }

  void reload(const std::vector<Request>& outdated) {
    for (const Request& request : outdated) {
      outdated_.insert(request.key);
      waiting_.push_back(request);
    }
    startWaiting();
  }

  void startWaiting() {
    while (!waiting_.empty() && running_.size() < atOnce_) {
      const Request request = std::move(waiting_.front());
      waiting_.pop_front();
      if (running_.contains(request.key)) continue;
      if (!outdated_.remove(request.key) && cache_.contains(request.key)) continue;
      if (!bring_) {
        start(request);
        continue;
      }
      running_[request.key] = Job();
      bring_(request.key, [this, request, round = round_, context = QPointer<QObject>(&context_)] {
        if (context && round == round_) start(request);
      });
    }
  }

  void start(const Request& request) {
    running_[request.key] =
        jobs::start(&context_, kind_, request.load, [this, key = request.key](Result&& result) {
          running_.remove(key);
          failures_.remove(key);
          if (isFailure_ && isFailure_(result)) failures_.insert(key);
          keep(key, std::make_shared<const Result>(std::move(result)));
          startWaiting();
          loaded_(key);
        });
  }

  QObject context_;
  int atOnce_;
  QCache<QString, std::shared_ptr<const Result>> cache_;
  Bring bring_;
  std::deque<Request> waiting_;
  LatestJob<std::vector<Request>> looking_{
      [this](const std::vector<Request>& outdated) { reload(outdated); }, Kind::Disk};
  QSet<QString> outdated_;  ///< keys in memory that wait all the same
  QSet<QString> failures_;  ///< not asked of the cache, which would use each of its results
  QHash<QString, Job> running_;
  std::function<qint64(const Result&)> cost_;
  std::function<bool(const Result&)> isFailure_;
  std::function<void(const QString&)> loaded_;
  Kind kind_;
  int round_ = 0;  ///< to drop what is brought after clear() or setBring()
};

}  // namespace lockstep::jobs
