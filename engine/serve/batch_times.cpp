#include "engine/serve/batch_times.h"

#include <algorithm>

namespace lockstep::serve {
namespace {

constexpr int kTimes = 10;
constexpr std::chrono::seconds kLeast{5};

}  // namespace

void BatchTimes::add(Duration took) { slowest_ = std::max(slowest_, took); }

bool BatchTimes::isUnusual(Duration takes, Duration limit) const {
  const Duration most = limit / 2;
  if (slowest_ == Duration(0)) return takes > most;
  return takes > std::min(most, std::max<Duration>(kTimes * slowest_, kLeast));
}

}  // namespace lockstep::serve
