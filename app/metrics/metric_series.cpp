#include "app/metrics/metric_series.h"

#include <algorithm>
#include <limits>

namespace lockstep::app {
namespace {

void include(ValueSpan& span, const ValueSpan& other) {
  if (!other.hasFinite) return;
  if (!span.hasFinite) {
    span = other;
    return;
  }
  span.min = std::min(span.min, other.min);
  span.max = std::max(span.max, other.max);
}

void include(ValueSpan& span, float value) {
  if (std::isfinite(value)) include(span, ValueSpan{value, value, true});
}

ValueSpan spanOf(const Extremes& block) {
  return std::isnan(block.min) ? ValueSpan() : ValueSpan{block.min, block.max, true};
}

}  // namespace

void StepAxis::append(std::int64_t step, float seconds) {
  steps_.append(step);
  seconds_.append(seconds);
}

void StepAxis::truncate(std::size_t size) {
  if (size >= seconds_.size()) return;
  steps_.truncate(size);
  seconds_.truncate(size);
}

std::size_t StepAxis::firstAfter(std::int64_t target) const {
  std::size_t low = 0, high = size();
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    (step(middle) <= target ? low : high) = step(middle) <= target ? middle + 1 : middle;
  }
  return low;
}

void MetricSeries::append(float value) {
  const std::size_t index = values_.size();
  values_.append(value);
  if (std::isfinite(value)) {
    if (!lowest_ || value < values_[*lowest_]) lowest_ = index;
  } else if (!nonFinite_.empty() && nonFinite_.back().second == index) {
    ++nonFinite_.back().second;
  } else {
    nonFinite_.push_back({index, index + 1});
  }
  addToPyramid(index);
}

void MetricSeries::addToPyramid(std::size_t index) {
  // A block is added with its last value, from the blocks of the level below.
  std::size_t blockSize = kFan;
  for (std::size_t level = 0; (index + 1) % blockSize == 0; ++level, blockSize *= kFan) {
    if (pyramid_.size() == level) pyramid_.emplace_back();
    ValueSpan span;
    if (level == 0) {
      span = scan(index + 1 - kFan, index + 1);
    } else {
      const auto& below = pyramid_[level - 1];
      for (std::size_t i = below.size() - kFan; i < below.size(); ++i)
        include(span, spanOf(below[i]));
    }
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    pyramid_[level].append(span.hasFinite ? Extremes{span.min, span.max} : Extremes{kNone, kNone});
  }
}

ValueSpan MetricSeries::scan(std::size_t begin, std::size_t end) const {
  ValueSpan span;
  for (std::size_t i = begin; i < end; ++i) include(span, values_[i]);
  return span;
}

ValueSpan MetricSeries::span(std::size_t begin, std::size_t end) const {
  end = std::min(end, size());
  ValueSpan result;
  while (begin < end) {
    // The largest whole block that begins here and ends within the range.
    std::size_t blockSize = 1, level = 0;
    while (level < pyramid_.size() && begin % (blockSize * kFan) == 0 &&
           begin + blockSize * kFan <= end) {
      blockSize *= kFan;
      ++level;
    }
    if (level == 0) {
      include(result, values_[begin]);
    } else {
      include(result, spanOf(pyramid_[level - 1][begin / blockSize]));
    }
    begin += blockSize;
  }
  return result;
}

void MetricSeries::setSmoothing(double weight) {
  smoothing_ = std::clamp(weight, 0.0, 0.999);
  states_.clear();
  last_.reset();
}

Smoother MetricSeries::stateAt(std::size_t index) const {
  if (states_.empty()) states_.emplace_back(smoothing_);
  while (states_.size() <= index / kSmoothed) {
    Smoother next = states_.back();
    for (std::size_t i = (states_.size() - 1) * kSmoothed; i < states_.size() * kSmoothed; ++i)
      next.skip(values_[i]);
    states_.push_back(next);
  }
  const std::size_t block = index / kSmoothed * kSmoothed;
  const bool goesOn = last_ && last_->index >= block && last_->index <= index;
  LastState state = goesOn ? *last_ : LastState{block, states_[index / kSmoothed]};
  for (; state.index < index; ++state.index) state.smoother.skip(values_[state.index]);
  last_ = state;
  return state.smoother;
}

double MetricSeries::smoothed(std::size_t index) const {
  return stateAt(index).add(values_[index]);
}

std::vector<double> MetricSeries::smoothedRange(std::size_t begin, std::size_t end) const {
  std::vector<double> result;
  if (begin >= end) return result;
  Smoother smoother = stateAt(begin);
  result.reserve(end - begin);
  for (std::size_t i = begin; i < end; ++i) result.push_back(smoother.add(values_[i]));
  return result;
}

void MetricSeries::truncate(std::size_t newSize) {
  if (newSize >= size()) return;
  ++cuts_;
  states_.resize(std::min(states_.size(), newSize / kSmoothed + 1));
  last_.reset();
  values_.truncate(newSize);
  std::size_t blockSize = kFan;
  for (auto& level : pyramid_) {
    level.truncate(newSize / blockSize);
    blockSize *= kFan;
  }
  while (!nonFinite_.empty() && nonFinite_.back().first >= newSize) nonFinite_.pop_back();
  if (!nonFinite_.empty()) nonFinite_.back().second = std::min(nonFinite_.back().second, newSize);
  if (lowest_ && *lowest_ >= newSize) lowest_ = findLowest();
}

/// The first of the lowest finite values. O(log size): logs of other programs may be cut often.
std::optional<std::size_t> MetricSeries::findLowest() const {
  const ValueSpan all = span(0, size());
  if (!all.hasFinite) return std::nullopt;
  std::size_t begin = 0, end = size();
  for (std::size_t level = pyramid_.size(); level-- > 0;) {
    const ExtremesColumn& blocks = pyramid_[level];
    std::size_t blockSize = kFan;
    for (std::size_t i = 0; i < level; ++i) blockSize *= kFan;
    for (; begin + blockSize <= end; begin += blockSize) {
      if (blocks[begin / blockSize].min != all.min) continue;  // nor is NaN
      end = begin + blockSize;
      break;
    }
  }
  while (values_[begin] != all.min) ++begin;
  return begin;
}

std::size_t MetricSeries::bytes() const {
  std::size_t bytes = values_.bytes() + states_.capacity() * sizeof(Smoother);
  for (const auto& level : pyramid_) bytes += level.bytes();
  return bytes;
}

}  // namespace lockstep::app
