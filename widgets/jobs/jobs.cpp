#include "widgets/jobs/jobs.h"

#include <QCoreApplication>
#include <QThread>
#include <QTimer>
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>

namespace lockstep::jobs {
namespace {

using Clock = std::chrono::steady_clock;

/// Disks wait more than they work.
constexpr int kDiskThreads = 8;
/// Work on a disk that takes longer has its thread replaced, so that others get their turn …
constexpr std::chrono::milliseconds kStuckAfter{2000};
/// … up to this many.
constexpr int kMostThreads = 64;
constexpr std::chrono::milliseconds kLongestEnd{1000};

/// The threads of one kind. Never destroyed: a thread that hangs may wake up at any time.
class Threads {
 public:
  explicit Threads(int limit, bool mayHang) : limit_(limit), mayHang_(mayHang) {}

  void add(const Token& token, std::function<void()> work) {
    const std::lock_guard guard(mutex_);
    queue_.push_back({token, std::move(work)});
    if (idle_ > 0) {
      ready_.notify_one();
    } else {
      addThreads(1);
    }
  }
  /// To be called now and then while work waits.
  void replaceStuck() {
    const std::lock_guard guard(mutex_);
    if (idle_ == 0) addThreads(queue_.size());
  }
  bool hasWaiting() {
    const std::lock_guard guard(mutex_);
    return !queue_.empty();
  }
  bool waitUntilIdle(Clock::time_point until) {
    std::unique_lock lock(mutex_);
    return done_.wait_until(lock, until, [this] { return queue_.empty() && running_.empty(); });
  }

 private:
  struct Task {
    Token token;
    std::function<void()> work;
  };

  /// As far as the limit allows.
  void addThreads(std::size_t wanted) {
    const auto longAgo = Clock::now() - kStuckAfter;
    const auto stuck = mayHang_ ? std::count_if(running_.begin(), running_.end(),
                                                [&](const auto& since) { return since < longAgo; })
                                : 0;
    const int most = std::min(limit_ + static_cast<int>(stuck), kMostThreads);
    for (; wanted > 0 && threads_ < most; --wanted) {
      ++threads_;
      std::thread([this] { work(); }).detach();
    }
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      ready_.wait(lock, [this] { return !queue_.empty(); });
      --idle_;
      Task task = std::move(queue_.front());
      queue_.pop_front();
      if (!task.token.isCancelled()) {
        const auto self = running_.insert(running_.end(), Clock::now());
        lock.unlock();
        task.work();
        task = {};
        lock.lock();
        running_.erase(self);
      }
      if (queue_.empty() && running_.empty()) done_.notify_all();
    }
  }

  const int limit_;
  const bool mayHang_;
  std::mutex mutex_;
  std::condition_variable ready_, done_;
  std::deque<Task> queue_;
  std::list<Clock::time_point> running_;  ///< when the current tasks began
  int threads_ = 0, idle_ = 0;
};

Threads& threadsOf(Kind kind) {
  static auto* const disk = new Threads(kDiskThreads, true);
  static auto* const processor = new Threads(std::max(1, QThread::idealThreadCount()), false);
  return kind == Kind::Disk ? *disk : *processor;
}

/// Looks after stuck threads for as long as work waits.
void watchTheQueue() {
  static bool isWatched = false;  // GUI thread
  if (isWatched) return;
  isWatched = true;
  QTimer::singleShot(kStuckAfter, [] {
    isWatched = false;
    threadsOf(Kind::Disk).replaceStuck();
    if (threadsOf(Kind::Disk).hasWaiting()) watchTheQueue();
  });
}

}  // namespace

void enqueue(Kind kind, const Token& token, std::function<void()> work) {
  static const bool isKnown = [] {
    qAddPostRoutine([] { waitForAll(kLongestEnd); });
    return true;
  }();
  (void)isKnown;
  threadsOf(kind).add(token, std::move(work));
  if (kind == Kind::Disk) watchTheQueue();
}

bool waitForAll(std::chrono::milliseconds atMost) {
  const auto until = Clock::now() + atMost;
  const bool isDiskDone = threadsOf(Kind::Disk).waitUntilIdle(until);
  return threadsOf(Kind::Processor).waitUntilIdle(until) && isDiskDone;
}

struct Relay::Address::State {
  std::mutex mutex;
  Relay* relay = nullptr;  ///< nullptr: its context is gone, or the job was cancelled
};

Relay::Relay(QObject* context, Token token) : QObject(context), token_(std::move(token)) {
  address_.state_ = std::make_shared<Address::State>();
  address_.state_->relay = this;
}

Relay::~Relay() {
  token_.cancelled_->store(true);
  const std::lock_guard guard(address_.state_->mutex);
  address_.state_->relay = nullptr;
}

void Relay::Address::send(std::function<void()> deliver) const {
  const std::lock_guard guard(state_->mutex);
  Relay* relay = state_->relay;
  if (!relay) return;
  QMetaObject::invokeMethod(
      relay,
      [relay, deliver = std::move(deliver)] {
        relay->hasDelivered_ = true;  // first, for a slot that asks or starts another
        relay->deleteLater();
        deliver();
      },
      Qt::QueuedConnection);
}

void Job::cancel() {
  if (isRunning()) delete relay_;
}

void Job::whenLaterThan(std::chrono::milliseconds time, std::function<void()> late) {
  if (isRunning())
    QTimer::singleShot(time, relay_, [relay = relay_.data(), late = std::move(late)] {
      if (!relay->hasDelivered()) late();
    });
}

}  // namespace lockstep::jobs
