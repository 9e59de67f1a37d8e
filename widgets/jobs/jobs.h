#pragma once

#include <QObject>
#include <QPointer>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

/// Work off the GUI thread: every file that is read, every picture that is decoded, every match.
///
/// The threads belong to the program, as QThreadPool's global ones do, but work on a disk that does
/// not answer never keeps other work from its turn, nor the program from ending.
namespace lockstep::jobs {

enum class Kind {
  Disk,      ///< reads or writes files: may hang as long as the disk does
  Processor  ///< ends by itself
};

/// What a job is told, and what it tells.
class Token {
 public:
  bool isCancelled() const { return cancelled_->load(std::memory_order_relaxed); }

 private:
  friend class Job;
  friend class Relay;
  std::shared_ptr<std::atomic<bool>> cancelled_ = std::make_shared<std::atomic<bool>>(false);
};

/// Brings a result to the thread of the context, and nothing once that is gone.
class Relay : public QObject {
  Q_OBJECT

 public:
  Relay(QObject* context, Token token);
  ~Relay() override;
  /// Any thread. The closure is called in this object's thread, from its event loop.
  class Address {
   public:
    void send(std::function<void()> deliver) const;

   private:
    friend class Relay;
    struct State;
    std::shared_ptr<State> state_;
  };
  const Address& address() const { return address_; }
  const Token& token() const { return token_; }
  bool hasDelivered() const { return hasDelivered_; }

 private:
  Token token_;
  Address address_;
  bool hasDelivered_ = false;
};

/// A job that was started. Copies are of the same job; letting go of them changes nothing.
class Job {
 public:
  Job() = default;
  /// Nothing will be delivered. Work that has not begun is left out; work that has sees it in its
  /// token.
  void cancel();
  /// It is neither delivered nor cancelled, and its context lives.
  bool isRunning() const { return relay_ && !relay_->hasDelivered(); }
  /// Calls `late` once if the result is not there after this time. The job goes on.
  void whenLaterThan(std::chrono::milliseconds time, std::function<void()> late);

 private:
  template <typename Work, typename Deliver>
  friend Job start(QObject* context, Kind kind, Work work, Deliver deliver);
  QPointer<Relay> relay_;
};

/// Puts work in the queue of its kind. `work` runs once, in any thread, unless its token is
/// cancelled before.
void enqueue(Kind kind, const Token& token, std::function<void()> work);

/// Waits for the jobs of the program to end; false: some still hang. QCoreApplication's destructor
/// does it for a second, so that no job runs while the program's statics are destroyed.
bool waitForAll(std::chrono::milliseconds atMost);

/// Runs `work`, which takes a `const Token&` or nothing and must not throw, and calls `deliver`
/// with its result in the thread of `context`, always from its event loop. Nothing is delivered
/// once `context` is destroyed. The work must not refer to what the context owns.
template <typename Work, typename Deliver>
Job start(QObject* context, Kind kind, Work work, Deliver deliver) {
  auto* relay = new Relay(context, {});
  Job job;
  job.relay_ = relay;
  auto run = [work = std::move(work), deliver = std::move(deliver), token = relay->token(),
              address = relay->address()]() mutable {
    auto result = [&] {
      if constexpr (std::is_invocable_v<Work, const Token&>) {
        return std::make_shared<std::invoke_result_t<Work, const Token&>>(work(token));
      } else {
        return std::make_shared<std::invoke_result_t<Work>>(work());
      }
    }();
    address.send([deliver = std::make_shared<Deliver>(std::move(deliver)),
                  result = std::move(result)] { (*deliver)(std::move(*result)); });
  };
  enqueue(kind, relay->token(),
          [run = std::make_shared<decltype(run)>(std::move(run))] { (*run)(); });
  return job;
}

}  // namespace lockstep::jobs
