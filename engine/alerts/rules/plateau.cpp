#include <algorithm>
#include <cmath>

#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr std::int64_t kLeastSteps = 300;
/// Of the steps so far, so many are looked at.
constexpr double kShare = 0.4;
/// A training loss that fell by less than this, with 97 % certainty, is on a plateau.
constexpr double kLeastFall = 0.02;

struct Mean {
  double value = 0, error = 0;  ///< standard error
};

/// Of the means of the curve's points.
std::optional<Mean> meanOf(const Curve& curve, std::int64_t from, std::int64_t to) {
  double sum = 0, squares = 0, points = 0;
  for (const Curve::Point& point : curve.points()) {
    if (point.first < from || point.last > to) continue;
    sum += point.mean();
    squares += point.mean() * point.mean();
    ++points;
  }
  if (points < 10) return std::nullopt;
  const double mean = sum / points;
  const double variance = std::max(0.0, squares / points - mean * mean);
  return Mean{mean, std::sqrt(variance / (points - 1))};
}

/// Neither warm-up nor milestone, nor a schedule that falls at every step.
bool isConstant(const Curve& rates, std::int64_t from, std::int64_t to) {
  double least = INFINITY, most = 0;
  for (const Curve::Point& point : rates.points()) {
    if (point.last < from || point.first > to) continue;
    least = std::min(least, point.least);
    most = std::max(most, point.most);
  }
  return most > 0 && least > 0.95 * most;
}

bool hasDecayedBefore(const Curve& rates, std::int64_t to) {
  const auto now = rates.mean(to, to);
  return std::ranges::any_of(
      rates.points(), [&](const Curve::Point& point) { return now && point.most > 2 * *now; });
}

}  // namespace

/// Source: PyTorch's ReduceLROnPlateau, which lowers the rate by 10 when a figure stops improving;
/// after a milestone the plateau is what the schedule means to reach.
std::optional<Finding> plateau(const RunSoFar& run) {
  const auto steps =
      std::max(kLeastSteps, static_cast<std::int64_t>(kShare * static_cast<double>(run.step)));
  const auto from = run.startOfLast(steps);
  const Curve& rates = run.curves.of(events::tags::kLearningRate);
  if (!from || !isConstant(rates, *from, run.step) || hasDecayedBefore(rates, run.step))
    return std::nullopt;
  const Curve& loss = run.curves.of(events::tags::kTrainTotalLoss);
  const std::int64_t middle = *from + steps / 2;
  const auto before = meanOf(loss, *from, middle);
  const auto after = meanOf(loss, middle + 1, run.step);
  if (!before || !after) return std::nullopt;
  const double fall = before->value - after->value;
  const double error = std::hypot(before->error, after->error);
  if (fall + 2 * error > kLeastFall * before->value) return std::nullopt;
  return Finding{
      .kind = protocol::AlertKind::Plateau,
      .problem = "The training loss no longer falls: " + base::shortNumber(before->value, 3) +
                 " in steps " + std::to_string(*from) + " to " + std::to_string(middle) + ", " +
                 base::shortNumber(after->value, 3) + " in the " +
                 std::to_string(run.step - middle) + " after them, at a constant learning rate.",
      .remedy = "Lower the learning rate now: set solver.milestones to [" +
                std::to_string(run.step) + "].",
      .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
      .from = *from,
      .to = run.step,
      .key = "solver.milestones",
      .value = "[" + std::to_string(run.step) + "]"};
}

}  // namespace lockstep::alerts
