#pragma once

#include <QCache>
#include <QHash>
#include <QMetaObject>
#include <QObject>
#include <QString>
#include <QThreadPool>
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::widgets {

/// Loads results by key on its own threads and keeps the most recently used ones. New requests
/// replace old ones that have not started. Use it on the GUI thread; only the destructor blocks,
/// for loads that have started.
template <typename Result>
class KeyedLoader {
 public:
  struct Request {
    QString key;
    std::function<Result()> load;  ///< any thread; must not throw
  };

  /// `capacity` in units of `cost`; `loaded` is called on the GUI thread.
  KeyedLoader(int threads, qint64 capacity, std::function<qint64(const Result&)> cost,
              std::function<void(const QString& key)> loaded)
      : cache_(capacity), cost_(std::move(cost)), loaded_(std::move(loaded)) {
    pool_.setMaxThreadCount(threads);
  }
  ~KeyedLoader() {
    pool_.clear();
    pool_.waitForDone();
  }
  KeyedLoader(const KeyedLoader&) = delete;
  KeyedLoader& operator=(const KeyedLoader&) = delete;

  /// The result if it is in memory, else nullptr.
  std::shared_ptr<const Result> find(const QString& key) const {
    const auto* result = cache_.object(key);
    return result ? *result : nullptr;
  }

  /// Loads the results that are not in memory, in this order of priority.
  void load(const std::vector<Request>& requests) {
    pool_.clear();
    // Drops loads that have not started; the others still deliver, as their results may be needed.
    pending_.removeIf([](const auto& entry) { return !entry.value()->load(); });
    int priority = static_cast<int>(requests.size());
    for (const Request& request : requests) start(request, priority--);
  }

  void clear() {
    pool_.clear();
    ++generation_;
    pending_.clear();
    cache_.clear();
  }

 private:
  void start(const Request& request, int priority) {
    if (cache_.contains(request.key) || pending_.contains(request.key)) return;
    const auto begun = std::make_shared<std::atomic<bool>>(false);
    pending_.insert(request.key, begun);
    auto work = [this, request, begun, generation = generation_] {
      begun->store(true);
      auto result = std::make_shared<const Result>(request.load());
      auto deliver = [this, generation, key = request.key, result] {
        if (generation == generation_) keep(key, result);
      };
      QMetaObject::invokeMethod(&context_, std::move(deliver), Qt::QueuedConnection);
    };
    pool_.start(std::move(work), priority);
  }

  void keep(const QString& key, const std::shared_ptr<const Result>& result) {
    pending_.remove(key);
    // A result larger than the whole cache must still be shown: it takes all of the cache.
    const qint64 cost = std::clamp<qint64>(cost_(*result), 1, cache_.maxCost());
    cache_.insert(key, new std::shared_ptr<const Result>(result), cost);
    loaded_(key);
  }

  QObject context_;
  QThreadPool pool_;
  QCache<QString, std::shared_ptr<const Result>> cache_;
  /// Keys being loaded, and whether the load has started (set by the thread, read here).
  QHash<QString, std::shared_ptr<std::atomic<bool>>> pending_;
  std::function<qint64(const Result&)> cost_;
  std::function<void(const QString&)> loaded_;
  int generation_ = 0;
};

}  // namespace lockstep::widgets
