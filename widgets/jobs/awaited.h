#pragma once

#include <QString>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "widgets/jobs/jobs.h"

namespace lockstep::jobs {

/// The end of some work, for those who wait for it. Copies are of the same work.
class Ending {
 public:
  bool isReached() const;
  /// Blocks the calling thread; whether the end is reached.
  bool wait(std::chrono::milliseconds atMost) const;
  /// Calls `act` once it is reached, in the thread of `context` and always from its event loop;
  /// never, once that is gone.
  void then(QObject* context, std::function<void()> act) const;

 private:
  template <typename Result>
  friend class Awaited;
  void reach() const;

  struct State {
    std::mutex mutex;
    std::condition_variable reached;
    bool isReached = false;
    std::vector<std::pair<Relay::Address, std::function<void()>>> waiting;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// Work on a disk whose result somebody waits for, for as long as he likes: unlike a Job it goes on
/// when nobody does any more. Copies are of the same work.
template <typename Result>
class Awaited {
 public:
  /// `work` may throw.
  template <typename Work>
  explicit Awaited(Work work) {
    // The end is reached after the work and all that it holds are gone.
    enqueue(Kind::Disk, {},
            [state = state_, ending = ending_,
             work = std::make_shared<Work>(std::move(work))]() mutable {
              try {
                state->result.emplace((*work)());
              } catch (...) {
                state->failure = std::current_exception();
              }
              work.reset();
              ending.reach();
            });
  }

  const Ending& ending() const { return ending_; }
  /// Once, after the end. Throws what the work has thrown.
  Result take() const {
    if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
    return std::move(*state_->result);
  }

 private:
  struct State {
    std::optional<Result> result;
    std::exception_ptr failure;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
  Ending ending_;
};

template <typename Work>
Awaited(Work) -> Awaited<std::invoke_result_t<Work>>;

/// For dialogs of files, which look into the folder that they begin with before anything is shown:
/// `path` or the nearest folder above it that exists; empty, where it is not absolute or there is
/// none: the dialog begins where a file was chosen last. The home folder if the disk does not
/// answer within a moment.
QString folderToBeginWith(const QString& path);

}  // namespace lockstep::jobs
