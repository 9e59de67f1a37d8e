#include "tests/support/cuda_block.h"

#include <cstring>
#include <stdexcept>
#include <string>

#if LOCKSTEP_REAL_THREADS
#include <barrier>
#include <thread>
#else
#include <ucontext.h>

#include <random>
#endif

namespace lockstep::tests {
namespace {

constexpr unsigned kWarp = 32;
CudaBlock* running = nullptr;

}  // namespace

#if LOCKSTEP_REAL_THREADS

class CudaBlock::Threads {
 public:
  Threads(unsigned count, std::uint32_t) : ofBlock_(count) {
    for (unsigned first = 0; first < count; first += kWarp)
      ofWarps_.push_back(std::make_unique<std::barrier<>>(kWarp));
  }

  void run(const std::function<void()>& prepare, std::size_t blocks, unsigned count,
           const std::function<void(std::size_t, unsigned)>& body) {
    std::barrier<> between(count);
    const auto work = [&](unsigned thread) {
      for (std::size_t block = 0; block < blocks; ++block) {
        if (thread == 0) prepare();
        between.arrive_and_wait();
        body(block, thread);
        between.arrive_and_wait();
      }
    };
    std::vector<std::jthread> others;
    for (unsigned thread = 1; thread < count; ++thread) others.emplace_back(work, thread);
    work(0);
  }

  void waitForBlock() { ofBlock_.arrive_and_wait(); }
  void waitForWarp() { ofWarps_[threadIdx.x / kWarp]->arrive_and_wait(); }
  void letOthersPass() {}

 private:
  std::barrier<> ofBlock_;
  std::vector<std::unique_ptr<std::barrier<>>> ofWarps_;
};

#else

class CudaBlock::Threads {
 public:
  Threads(unsigned count, std::uint32_t seed) : fibers_(count), random_(seed) {}

  void run(const std::function<void()>& prepare, std::size_t blocks, unsigned count,
           const std::function<void(std::size_t, unsigned)>& body) {
    body_ = &body;
    for (block_ = 0; block_ < blocks; ++block_) {
      prepare();
      ready_.clear();
      gone_ = 0;
      for (unsigned thread = 0; thread < count; ++thread) begin(thread);
      while (gone_ < count) {
        if (ready_.empty()) release();
        resume(takeAnyReady());
      }
    }
  }

  void waitForBlock() { leave(State::AtBlock); }
  void waitForWarp() { leave(State::AtWarp); }
  void letOthersPass() {
    if (random_() % 4 == 0) leave(State::Ready);
  }

 private:
  static constexpr std::size_t kStackBytes = 64 * 1024;
  enum class State { Ready, AtBlock, AtWarp, Gone };
  struct Fiber {
    ucontext_t context{};
    std::vector<std::byte> stack = std::vector<std::byte>(kStackBytes);
    State state = State::Ready;
  };

  /// makecontext passes integers alone.
  static void enter(unsigned high, unsigned low) {
    auto* self = reinterpret_cast<Threads*>(std::uintptr_t{high} << 32 | low);
    (*self->body_)(self->block_, self->current_);
    self->fibers_[self->current_].state = State::Gone;
    ++self->gone_;
  }

  void begin(unsigned thread) {
    Fiber& fiber = fibers_[thread];
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.data();
    fiber.context.uc_stack.ss_size = fiber.stack.size();
    fiber.context.uc_link = &home_;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&fiber.context, reinterpret_cast<void (*)()>(&enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
    makeReady(thread);
  }

  void makeReady(unsigned thread) {
    fibers_[thread].state = State::Ready;
    ready_.push_back(thread);
  }

  unsigned takeAnyReady() {
    std::swap(ready_[random_() % ready_.size()], ready_.back());
    const unsigned thread = ready_.back();
    ready_.pop_back();
    return thread;
  }

  void resume(unsigned thread) {
    current_ = thread;
    threadIdx = {thread, 0, 0};
    swapcontext(&home_, &fibers_[thread].context);
  }

  void leave(State state) {
    const unsigned thread = current_;
    if (state == State::Ready) {
      ready_.push_back(thread);
    } else {
      fibers_[thread].state = state;
    }
    swapcontext(&fibers_[thread].context, &home_);
  }

  bool areAll(unsigned first, unsigned end, State state) const {
    for (unsigned i = first; i < end; ++i)
      if (fibers_[i].state != state) return false;
    return true;
  }

  /// Lets go on whoever waits for threads that have all come.
  void release() {
    const auto count = static_cast<unsigned>(fibers_.size());
    for (unsigned first = 0; first + kWarp <= count; first += kWarp)
      if (areAll(first, first + kWarp, State::AtWarp))
        for (unsigned i = 0; i < kWarp; ++i) makeReady(first + i);
    if (ready_.empty() && areAll(0, count, State::AtBlock))
      for (unsigned i = 0; i < count; ++i) makeReady(i);
    if (ready_.empty())
      throw std::logic_error("a thread waits for one that has returned or waits elsewhere");
  }

  std::vector<Fiber> fibers_;
  std::vector<unsigned> ready_;
  std::minstd_rand random_;
  ucontext_t home_{};
  const std::function<void(std::size_t, unsigned)>* body_ = nullptr;
  std::size_t block_ = 0;
  unsigned current_ = 0, gone_ = 0;
};

#endif

CudaBlock::CudaBlock(unsigned threads, std::size_t sharedBytes, std::uint32_t seed)
    : shared_(sharedBytes),
      exchanged_(threads),
      threads_(std::make_unique<Threads>(threads, seed)) {}
CudaBlock::~CudaBlock() { running = nullptr; }

CudaBlock& CudaBlock::now() { return *running; }

void CudaBlock::run(std::size_t blocks, const std::function<void(std::size_t, unsigned)>& body) {
  running = this;
  const auto prepare = [this] { std::memset(shared_.data(), 0xff, shared_.size()); };
  threads_->run(prepare, blocks, static_cast<unsigned>(exchanged_.size()), body);
}

void CudaBlock::waitForBlock() { threads_->waitForBlock(); }
void CudaBlock::letOthersPass() { threads_->letOthersPass(); }

void CudaBlock::waitForWarp() {
  if (exchanged_.size() % kWarp != 0) throw std::logic_error("a warp that is not whole");
  threads_->waitForWarp();
}

std::uint64_t CudaBlock::exchange(std::uint64_t word, unsigned lanes) {
  const unsigned thread = threadIdx.x;
  exchanged_[thread] = word;
  waitForWarp();
  const std::uint64_t other = exchanged_[thread ^ lanes];
  waitForWarp();
  return other;
}

}  // namespace lockstep::tests
