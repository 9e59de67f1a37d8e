#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/alerts/curve.h"
#include "engine/config/experiment.h"
#include "engine/protocol/event.h"

namespace lockstep::alerts {

/// A run up to a step, as its event log tells it.
struct RunSoFar {
  const Curves& curves;
  const std::optional<config::Experiment>& experiment;  ///< absent in other programs' logs
  std::int64_t step = 0;                                ///< the last one that was trained
  std::int64_t since = 0;  ///< the step after which the experiment is this one

  /// The last step of the warm-up; without an experiment the one after which the learning rate no
  /// longer rises.
  std::int64_t warmupEnd() const;
  /// From this step on the last `steps` were trained after the warm-up and with this experiment;
  /// nothing if fewer were.
  std::optional<std::int64_t> startOfLast(std::int64_t steps) const;
  /// Whether the learning rate is less than half of the highest so far.
  bool hasDecayed() const;
  /// The milestones of solver.schedule: step; none of another or an unknown one.
  std::vector<std::int64_t> milestones() const;
  /// solver.max_steps; 0 without an experiment.
  std::int64_t maxSteps() const;
};

/// What a rule found.
struct Finding {
  protocol::AlertKind kind;
  std::string subject{};  ///< the part or milestone that it is about; each is found once
  std::string problem{};  ///< a sentence with the numbers
  std::string remedy{};   ///< a sentence that says what to set `key` to
  std::vector<std::string> tags;
  std::int64_t from = 0, to = 0;
  std::string key{}, value{};
  bool isBreakdown = false;  ///< the training has failed; whatever else is wrong is its consequence
};

/// `steps 51 to 100`, as findings name them.
std::string stepRange(std::int64_t from, std::int64_t to);

/// Looks at a run for one problem. Pure: what it finds depends on its argument alone.
using Rule = std::optional<Finding> (*)(const RunSoFar& run);

/// The rules, one in each file of rules/, with their sources there.
std::optional<Finding> gradientImbalance(const RunSoFar& run);
std::optional<Finding> weightNormJump(const RunSoFar& run);
std::optional<Finding> learningRateTooHigh(const RunSoFar& run);
std::optional<Finding> learningRateTooLow(const RunSoFar& run);
std::optional<Finding> shortWarmup(const RunSoFar& run);
std::optional<Finding> plateau(const RunSoFar& run);
std::optional<Finding> anchorMismatch(const RunSoFar& run);
std::optional<Finding> classNotFound(const RunSoFar& run);
std::optional<Finding> dataStarved(const RunSoFar& run);
std::optional<Finding> constantClipping(const RunSoFar& run);
std::optional<Finding> deadPart(const RunSoFar& run);
std::optional<Finding> explodingPart(const RunSoFar& run);

}  // namespace lockstep::alerts
