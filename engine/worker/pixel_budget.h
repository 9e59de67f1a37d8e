#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace lockstep::worker {

/// Limits the pixels of the images that are worked on at one time, and with them the memory: what
/// does not fit waits. Any thread.
class PixelBudget {
 public:
  explicit PixelBudget(std::int64_t most) : most_(most) {}

  /// The pixels of an image, until its end.
  class Share {
   public:
    /// Blocks until they fit; more than there may be, or a number that is not known (0), fit alone.
    Share(PixelBudget& budget, std::int64_t pixels);
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;
    ~Share();

   private:
    PixelBudget& budget_;
    std::int64_t pixels_;
  };

 private:
  const std::int64_t most_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::int64_t taken_ = 0;  ///< under mutex_
};

}  // namespace lockstep::worker
