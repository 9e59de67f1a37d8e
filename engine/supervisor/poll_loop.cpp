#include "engine/supervisor/poll_loop.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/base/error.h"

namespace lockstep::supervisor {

void PollLoop::watch(int fd, std::function<short()> wanted, std::function<void(short)> ready) {
  watches_[fd] = Watch{nextSerial_++, std::move(wanted), std::move(ready)};
}

void PollLoop::unwatch(int fd) { watches_.erase(fd); }

PollLoop::TimerId PollLoop::every(std::chrono::milliseconds interval, std::function<void()> work) {
  timers_.push_back({nextTimer_, Clock::now() + interval, interval, false, false, std::move(work)});
  return nextTimer_++;
}

PollLoop::TimerId PollLoop::after(std::chrono::milliseconds delay, std::function<void()> work) {
  const TimerId timer = every(delay, std::move(work));
  timers_.back().isOnce = true;
  return timer;
}

void PollLoop::cancel(TimerId timer) {
  for (Timer& candidate : timers_) {
    if (candidate.id == timer) candidate.isOver = true;
  }
}

void PollLoop::eachTurn(std::function<bool()> work) { turns_.push_back(std::move(work)); }

void PollLoop::run() {
  stopped_ = false;
  while (!stopped_) {
    bool moreToDo = false;
    for (const auto& work : turns_) moreToDo = work() || moreToDo;
    if (stopped_) break;
    waitAndDispatch(waitMilliseconds(moreToDo));
    if (!stopped_) runTimers();
  }
}

int PollLoop::waitMilliseconds(bool moreToDo) const {
  if (moreToDo) return 0;
  auto due = Clock::time_point::max();
  for (const Timer& timer : timers_) {
    if (!timer.isOver) due = std::min(due, timer.due);
  }
  if (due == Clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void PollLoop::runTimers() {
  const auto now = Clock::now();
  for (Timer& timer : timers_) {  // work may add and cancel timers
    if (timer.isOver || timer.due > now) continue;
    timer.due = now + timer.interval;
    timer.isOver = timer.isOnce;
    timer.work();
  }
  timers_.remove_if([](const Timer& timer) { return timer.isOver; });
}

void PollLoop::waitAndDispatch(int milliseconds) {
  std::vector<pollfd> descriptors;
  std::vector<std::uint64_t> serials;
  for (const auto& [fd, watch] : watches_) {
    descriptors.push_back({fd, watch.wanted(), 0});
    serials.push_back(watch.serial);
  }
  const int count = ::poll(descriptors.data(), descriptors.size(), milliseconds);
  if (count < 0) {
    if (errno == EINTR) return;
    throw Error(std::string("poll: ") + std::strerror(errno));
  }
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    if (descriptors[i].revents == 0) continue;
    // An earlier callback may have removed this watch, or closed the descriptor and got its number
    // again.
    const auto found = watches_.find(descriptors[i].fd);
    if (found == watches_.end() || found->second.serial != serials[i]) continue;
    const auto ready = found->second.ready;
    ready(descriptors[i].revents);
  }
}

}  // namespace lockstep::supervisor
