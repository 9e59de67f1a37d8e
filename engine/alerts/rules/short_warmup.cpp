#include <algorithm>

#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

/// The first steps after the warm-up in which the loss is watched, and their parts, of which the
/// highest counts.
constexpr std::int64_t kWatchedSteps = 100, kPart = 20;
/// So much higher than before is the loss then …
constexpr double kRise = 2;
/// … and has come down again since, or else the learning rate is too high.
constexpr double kCalm = 1.2;
constexpr std::int64_t kLongerBy = 4, kLeastWarmup = 100;

}  // namespace

/// Source: Goyal and others, Accurate, large minibatch SGD, arXiv:1706.02677.
std::optional<Finding> shortWarmup(const RunSoFar& run) {
  const Curve& loss = run.curves.of(events::tags::kTrainTotalLoss);
  const std::int64_t end = run.warmupEnd(), watched = end + kWatchedSteps;
  // Judged once, while the steps before the end of the warm-up are still known one by one.
  if (end < run.since || run.step < watched + kWatchedSteps ||
      run.step > watched + 2 * kWatchedSteps)
    return std::nullopt;
  const auto before = loss.median(std::max<std::int64_t>(1, end - kPart), std::max(end, kPart / 2));
  const auto since = loss.median(watched + 1, watched + kWatchedSteps);
  double highest = 0;
  for (std::int64_t from = end + 1; from < watched; from += kPart)
    highest = std::max(highest, loss.median(from, from + kPart - 1).value_or(0));
  if (!before || !since || *before <= 0 || highest < kRise * *before || *since > kCalm * *before)
    return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::ShortWarmup,
                  .problem = "The warm-up is too short: after its end at step " +
                             std::to_string(end) + " the training loss rose from " +
                             base::shortNumber(*before, 3) + " to " +
                             base::shortNumber(highest, 3) + " and took up to step " +
                             std::to_string(watched) + " to come down again.",
                  .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
                  .from = end,
                  .to = watched};
  finding.key = "solver.warmup_steps";
  finding.value = std::to_string(std::max(kLongerBy * end, kLeastWarmup));
  finding.remedy = "Set solver.warmup_steps to " + finding.value + ".";
  return finding;
}

}  // namespace lockstep::alerts
