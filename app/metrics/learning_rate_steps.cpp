#include "app/metrics/learning_rate_steps.h"

#include <algorithm>

namespace lockstep::app {
namespace {

constexpr float kFall = 0.9F;  ///< of the rate before

}  // namespace

const std::vector<std::int64_t>& LearningRateSteps::update(const MetricSeries* rates) {
  const bool goesOn = rates && rates == rates_ && rates->size() >= read_ &&
                      (read_ == 0 || rates->step(read_ - 1) == lastStep_);
  if (!goesOn) {
    *this = {};
    rates_ = rates;
  }
  if (!rates) return steps_;
  for (std::size_t i = std::max<std::size_t>(read_, 2); i < rates->size(); ++i) {
    const float before = rates->value(i - 1);
    if (rates->value(i - 2) == before && rates->value(i) < kFall * before)
      steps_.push_back(rates->step(i));
  }
  read_ = rates->size();
  if (read_ > 0) lastStep_ = rates->step(read_ - 1);
  return steps_;
}

}  // namespace lockstep::app
