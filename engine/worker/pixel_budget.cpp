#include "engine/worker/pixel_budget.h"

#include <algorithm>

namespace lockstep::worker {

PixelBudget::Share::Share(PixelBudget& budget, std::int64_t pixels)
    : budget_(budget), pixels_(pixels > 0 ? std::min(pixels, budget.most_) : budget.most_) {
  std::unique_lock lock(budget_.mutex_);
  budget_.freed_.wait(lock, [this] { return budget_.taken_ + pixels_ <= budget_.most_; });
  budget_.taken_ += pixels_;
}

PixelBudget::Share::~Share() {
  {
    const std::lock_guard guard(budget_.mutex_);
    budget_.taken_ -= pixels_;
  }
  budget_.freed_.notify_all();
}

}  // namespace lockstep::worker
