#pragma once

#include <string>
#include <vector>

#include "app/metrics/common_steps.h"
#include "app/metrics/metric_store.h"

namespace lockstep::app {

/// A part of a whole: the values of a tag without those of others.
struct StackPart {
  std::string tag;
  std::vector<std::string> less;
};

/// Parts of a whole on top of one another, at the steps that all of their tags have.
class StackSeries {
 public:
  explicit StackSeries(std::vector<StackPart> parts) : parts_(std::move(parts)) {}

  /// Adds what has come. The store is the same at each call.
  void update(const MetricStore& metrics);
  /// Upper edge of a part; nullptr: there is no common step yet.
  const MetricSeries* top(std::size_t part) const { return store_.series(nameOf(part)); }
  const std::string& tagOf(std::size_t part) const { return parts_[part].tag; }

 private:
  static std::string nameOf(std::size_t part) { return std::to_string(part); }
  void append(const std::vector<std::size_t>& indices);

  std::vector<StackPart> parts_;
  std::vector<const MetricSeries*> series_;  ///< of each part its tag and those that are taken off
  CommonSteps steps_;
  MetricStore store_;
};

}  // namespace lockstep::app
