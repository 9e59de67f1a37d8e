#include "engine/config/due.h"

#include <initializer_list>
#include <numeric>
#include <vector>

namespace lockstep::config {
namespace {

bool isDue(const Duration& every, std::int64_t step) {
  return every.steps() > 0 && step % every.steps() == 0;
}

/// How many of the steps 1 … last are multiples of all these intervals (> 0).
std::int64_t commonMultiples(const std::vector<std::int64_t>& intervals, std::int64_t last) {
  std::int64_t common = 1;
  for (const std::int64_t interval : intervals) {
    const std::int64_t factor = interval / std::gcd(common, interval);
    if (factor > last / common) return 0;
    common *= factor;
  }
  return last / common;
}

/// How many of the steps 1 … last are a multiple of at least one interval, or the last step. An
/// interval of 0 is never due.
std::int64_t stepsOfAny(std::initializer_list<Duration> every, std::int64_t last) {
  std::vector<std::int64_t> intervals;
  for (const Duration& each : every) {
    if (each.steps() > 0) intervals.push_back(each.steps());
  }
  intervals.push_back(last);  // the last step is its only multiple
  std::int64_t count = 0;     // by inclusion-exclusion over the subsets of intervals
  for (unsigned mask = 1; mask < 1U << intervals.size(); ++mask) {
    std::vector<std::int64_t> subset;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      if ((mask >> i & 1U) != 0) subset.push_back(intervals[i]);
    }
    count += (subset.size() % 2 == 1 ? 1 : -1) * commonMultiples(subset, last);
  }
  return count;
}

}  // namespace

Due dueAfter(const Experiment& experiment, std::int64_t step, bool isLast) {
  const EvaluationConfig& evaluation = experiment.evaluation;
  const MonitorConfig& monitor = experiment.monitor;
  const auto orLast = [&](const Duration& every) {
    return isDue(every, step) || (isLast && every.steps() > 0);
  };
  Due due;
  if (experiment.dataset.hasHeldOut()) {
    due.averagePrecision = orLast(evaluation.apEvery);
    due.losses = due.averagePrecision || isLast || isDue(evaluation.lossEvery, step);
    due.predictions = orLast(monitor.predictionsEvery);
  }
  due.checkpoint = isLast || isCheckpointDue(experiment.checkpoint, step);
  due.log = due.losses || due.predictions || due.checkpoint || isDue(monitor.logEvery, step);
  return due;
}

bool isCheckpointDue(const CheckpointConfig& checkpoint, std::int64_t step) {
  return isDue(checkpoint.every, step);
}

bool isTensorStatsDue(const Experiment& experiment, std::int64_t step) {
  return isDue(experiment.monitor.tensorStatsEvery, step);
}

TimesDue timesDue(const Experiment& experiment) {
  const std::int64_t last = experiment.solver.maxSteps.steps();
  const EvaluationConfig& evaluation = experiment.evaluation;
  const MonitorConfig& monitor = experiment.monitor;
  const Duration checkpoint = experiment.checkpoint.every;
  TimesDue times;
  if (last < 1) return times;
  times.checkpoint = stepsOfAny({checkpoint}, last);
  times.log = stepsOfAny({checkpoint, monitor.logEvery}, last);
  if (!experiment.dataset.hasHeldOut()) return times;
  times.losses = stepsOfAny({evaluation.lossEvery, evaluation.apEvery}, last);
  if (evaluation.apEvery.steps() > 0)
    times.averagePrecision = stepsOfAny({evaluation.apEvery}, last);
  if (monitor.predictionsEvery.steps() > 0)
    times.predictions = stepsOfAny({monitor.predictionsEvery}, last);
  times.log = stepsOfAny({checkpoint, monitor.logEvery, monitor.predictionsEvery,
                          evaluation.lossEvery, evaluation.apEvery},
                         last);
  return times;
}

}  // namespace lockstep::config
