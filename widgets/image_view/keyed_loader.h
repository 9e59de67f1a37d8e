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

/// Results by key, made on threads of its own; the latest used ones are kept. New requests replace
/// old ones that have not begun. GUI thread; only the destructor blocks, for what has begun.
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

  /// The result when it is in memory, else null.
  std::shared_ptr<const Result> find(const QString& key) const {
    const auto* result = cache_.object(key);
    return result ? *result : nullptr;
  }

  /// Makes what is not in memory, the most important first.
  void load(const std::vector<Request>& requests) {
    pool_.clear();
    // Nothing begins any more; what has begun still delivers, for it may be what is wanted next.
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
    // What is larger than the whole cache must still be shown: it costs all of it.
    const qint64 cost = std::clamp<qint64>(cost_(*result), 1, cache_.maxCost());
    cache_.insert(key, new std::shared_ptr<const Result>(result), cost);
    loaded_(key);
  }

  QObject context_;
  QThreadPool pool_;
  QCache<QString, std::shared_ptr<const Result>> cache_;
  /// Keys on their way, and whether their work has begun (set by the thread, read here).
  QHash<QString, std::shared_ptr<std::atomic<bool>>> pending_;
  std::function<qint64(const Result&)> cost_;
  std::function<void(const QString&)> loaded_;
  int generation_ = 0;
};

}  // namespace lockstep::widgets
