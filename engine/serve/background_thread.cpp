#include "engine/serve/background_thread.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "engine/base/error.h"

namespace lockstep::serve {

BackgroundThread::BackgroundThread(supervisor::PollLoop& loop)
    : loop_(loop), event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (!event_.isOpen()) throw Error(std::string("eventfd: ") + std::strerror(errno));
  loop_.watch(
      event_.get(), [] { return static_cast<short>(POLLIN); }, [this](short) { deliver(); });
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

BackgroundThread::~BackgroundThread() { loop_.unwatch(event_.get()); }

void BackgroundThread::post(Work work) {
  {
    const std::lock_guard guard(mutex_);
    waiting_.push_back(std::move(work));
  }
  posted_.notify_one();
}

void BackgroundThread::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (posted_.wait(lock, stop, [this] { return !waiting_.empty() && done_.empty(); })) {
    if (stop.stop_requested()) return;
    const Work next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    std::function<void()> result = next();
    lock.lock();
    done_.push_back(std::move(result));
    const std::uint64_t one = 1;
    (void)!::write(event_.get(), &one, sizeof one);
  }
}

void BackgroundThread::deliver() {
  std::uint64_t count = 0;
  (void)!::read(event_.get(), &count, sizeof count);
  std::vector<std::function<void()>> done;
  {
    const std::lock_guard guard(mutex_);
    done = std::exchange(done_, {});
  }
  posted_.notify_one();
  for (const auto& result : done) result();
}

}  // namespace lockstep::serve
