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
/// A loss that rises by more is no plateau.
constexpr double kMostRise = 0.1;
/// Share of solver.max_steps before which nothing is said.
constexpr double kLeastProgress = 0.1;

struct Mean {
  double value = 0, error = 0;  ///< standard error
};

std::optional<Mean> meanOf(const Curve& curve, std::int64_t from, std::int64_t to) {
  const std::vector<Curve::Point> points = curve.within(from, to);
  if (points.size() < 10) return std::nullopt;
  const auto count = static_cast<double>(points.size());
  double sum = 0, squares = 0;
  for (const Curve::Point& point : points) {
    sum += point.mean();
    squares += point.mean() * point.mean();
  }
  const double mean = sum / count;
  const double variance = std::max(0.0, squares / count - mean * mean);
  return Mean{mean, std::sqrt(variance / (count - 1))};
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

/// The newest step and the milestones that are still to come, as a YAML list.
std::string withMilestone(const RunSoFar& run) {
  std::vector<std::int64_t> milestones = run.milestones();
  std::erase_if(milestones, [&](std::int64_t milestone) {
    return milestone <= run.step || (run.maxSteps() > 0 && milestone >= run.maxSteps());
  });
  milestones.insert(milestones.begin(), run.step);
  std::string text;
  for (const std::int64_t milestone : milestones)
    text += (text.empty() ? "[" : ", ") + std::to_string(milestone);
  return text + "]";
}

/// Whether the schedule lowers the rate by itself within these steps.
bool isAboutToDecay(const RunSoFar& run, std::int64_t steps) {
  if (!run.experiment) return false;
  const config::Schedule schedule = run.experiment->solver.schedule;
  if (schedule == config::Schedule::Cosine || schedule == config::Schedule::Linear) return true;
  return std::ranges::any_of(run.milestones(), [&](std::int64_t milestone) {
    return milestone >= run.step && milestone < run.step + steps;
  });
}

void setPlateauRemedy(Finding& finding, const RunSoFar& run) {
  finding.remedy = "Lower the learning rate.";
  if (!run.experiment) return;
  if (run.experiment->solver.schedule == config::Schedule::Step) {
    finding.key = "solver.milestones";
    finding.value = withMilestone(run);
  } else {
    finding.key = "solver.schedule";
    finding.value = "cosine";
  }
  finding.remedy = "Let the learning rate fall: set " + finding.key + " to " + finding.value + ".";
}

}  // namespace

/// Source: PyTorch's ReduceLROnPlateau, which lowers the rate by 10 when a figure stops improving;
/// after a milestone the plateau is what the schedule means to reach.
std::optional<Finding> plateau(const RunSoFar& run) {
  const auto steps =
      std::max(kLeastSteps, static_cast<std::int64_t>(kShare * static_cast<double>(run.step)));
  const auto from = run.startOfLast(steps);
  const Curve& rates = run.curves.of(events::tags::kLearningRate);
  if (!from || !isConstant(rates, *from, run.step) || run.hasDecayed() ||
      isAboutToDecay(run, steps) ||
      static_cast<double>(run.step) < kLeastProgress * static_cast<double>(run.maxSteps()))
    return std::nullopt;
  const Curve& loss = run.curves.of(events::tags::kTrainTotalLoss);
  const std::int64_t middle = *from + steps / 2;
  const auto before = meanOf(loss, *from, middle);
  const auto after = meanOf(loss, middle + 1, run.step);
  if (!before || !after || before->value <= 0) return std::nullopt;
  const double fall = before->value - after->value;
  const double error = std::hypot(before->error, after->error);
  if (fall + 2 * error > kLeastFall * before->value || -fall > kMostRise * before->value)
    return std::nullopt;
  Finding finding{
      .kind = protocol::AlertKind::Plateau,
      .problem = "The training loss hardly falls any more: " + base::shortNumber(before->value, 3) +
                 " in " + stepRange(*from, middle) + ", " + base::shortNumber(after->value, 3) +
                 " in the " + std::to_string(run.step - middle) +
                 " after them, at a constant learning rate.",
      .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
      .from = *from,
      .to = run.step};
  setPlateauRemedy(finding, run);
  return finding;
}

}  // namespace lockstep::alerts
