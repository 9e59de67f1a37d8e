#include <algorithm>
#include <cmath>

#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

/// Ratios of updates to weights: usual is about 1e-3.
constexpr double kUsualRatio = 1e-3, kLeastRatio = 1e-4, kMostRatio = 1e-2;
constexpr std::int64_t kSteps = 100;
constexpr std::int64_t kLeastRecords = 3;
/// Without update ratios: so much higher than at the beginning is the loss.
constexpr double kRise = 1.5;
constexpr std::int64_t kFirstSteps = 10;

/// The median over the weights (without biases and norms, whose values begin at 0 or 1) of the
/// medians of their update ratios.
std::optional<double> medianUpdateRatio(const RunSoFar& run, std::int64_t from) {
  std::vector<double> ratios;
  for (const auto& [tag, curve] : run.curves.startingWith(events::tags::kUpdateRatios)) {
    if (!tag.ends_with(".weight") || curve->count(from, run.step) < kLeastRecords) continue;
    if (const auto ratio = curve->median(from, run.step)) ratios.push_back(*ratio);
  }
  if (ratios.empty()) return std::nullopt;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  return *middle;
}

/// The loss at the end relative to the loss at the beginning of `from` … the newest step.
std::optional<double> lossChange(const RunSoFar& run, std::int64_t from) {
  const Curve& loss = run.curves.of(events::tags::kTrainTotalLoss);
  const std::int64_t middle = (from + run.step) / 2;
  const auto before = loss.mean(from, middle);
  const auto after = loss.mean(middle + 1, run.step);
  return before && after ? std::optional(*after / *before) : std::nullopt;
}

/// `solver.base_lr` times a factor, with one digit.
void setRate(Finding& finding, const RunSoFar& run, double factor) {
  finding.remedy = "Find a better one with train --find-lr.";
  if (!run.experiment) return;
  finding.key = "solver.base_lr";
  finding.value = base::shortNumber(run.experiment->solver.baseLr * factor, 1);
  finding.remedy = "Set solver.base_lr to " + finding.value + ", or find it with train --find-lr.";
}

std::string steps(std::int64_t from, std::int64_t to) {
  return "steps " + std::to_string(from) + " to " + std::to_string(to);
}

}  // namespace

/// Sources: Karpathy's notes for Stanford's CS231n ("Ratio of weights:updates"); Smith, Cyclical
/// learning rates, arXiv:1506.01186.
std::optional<Finding> learningRateTooHigh(const RunSoFar& run) {
  const auto from = run.startOfLast(kSteps);
  if (!from) return std::nullopt;
  const auto ratio = medianUpdateRatio(run, *from);
  const auto change = lossChange(run, *from);
  if (ratio && change && *ratio > kMostRatio && *change > 1) {
    Finding finding{.kind = protocol::AlertKind::LearningRateTooHigh,
                    .problem = "The learning rate is too high: updates are " +
                               base::percent(*ratio) + " of their weights in " +
                               steps(*from, run.step) +
                               ", where 0.1 % is usual, and the training "
                               "loss does not fall.",
                    .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
                    .from = *from,
                    .to = run.step};
    setRate(finding, run, kUsualRatio / *ratio);
    return finding;
  }
  const Curve& loss = run.curves.of(events::tags::kTrainTotalLoss);
  const auto first = loss.median(1, kFirstSteps);
  const auto now = loss.median(*from, run.step);
  if (!first || !now || *now <= kRise * *first) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::LearningRateTooHigh,
                  .problem = "The learning rate is too high: the training loss is " +
                             base::shortNumber(*now, 3) + " in " + steps(*from, run.step) +
                             " (median), and was " + base::shortNumber(*first, 3) +
                             " in the first " + std::to_string(kFirstSteps) + ".",
                  .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
                  .from = 1,
                  .to = run.step};
  setRate(finding, run, 0.1);
  return finding;
}

/// Sources as of learningRateTooHigh().
std::optional<Finding> learningRateTooLow(const RunSoFar& run) {
  const auto from = run.startOfLast(kSteps);
  if (!from) return std::nullopt;
  const Curve& rates = run.curves.of(events::tags::kLearningRate);
  const auto rate = rates.mean(*from, run.step);
  const bool hasDecayed =
      rate && std::ranges::any_of(rates.points(), [&](const Curve::Point& point) {
        return point.most > 2 * *rate;
      });
  const auto ratio = medianUpdateRatio(run, *from);
  if (!ratio || hasDecayed || *ratio == 0 || *ratio >= kLeastRatio) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::LearningRateTooLow,
                  .problem = "The learning rate is too low: updates are " + base::percent(*ratio) +
                             " of their weights in " + steps(*from, run.step) +
                             ", where 0.1 % is usual.",
                  .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
                  .from = *from,
                  .to = run.step};
  setRate(finding, run, std::min(kUsualRatio / *ratio, 100.0));
  return finding;
}

}  // namespace lockstep::alerts
