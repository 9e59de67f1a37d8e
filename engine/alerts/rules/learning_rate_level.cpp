#include <algorithm>
#include <cmath>

#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

/// Ratios of updates to weights: usual is about 1e-3.
constexpr double kUsualRatio = 1e-3, kLeastRatio = 1e-4, kMostUpdateRatio = 1e-2;
/// The newest ratios of a parameter that are looked at, and how many there must be.
constexpr std::size_t kRatios = 5, kLeastRatios = 3;
/// Steps in which the loss should have fallen.
constexpr std::int64_t kFallingSteps = 100;
/// A low ratio tells only soon after the warm-up: with SGD, updates shrink as the loss falls.
constexpr std::int64_t kEarlySteps = 200;
constexpr double kEarlyShare = 0.02;
constexpr double kMostRaisedRate = 10;
/// A rate that is far too high is lowered to one that trains at all.
constexpr double kLargestLowered = 0.02;
/// The loss is higher than at its beginning: far, or for long; else a longer warm-up may do.
constexpr struct {
  std::size_t firstPoints, newestValues;
  double rise;
} kRises[] = {{10, 20, 3}, {30, 100, 2}};

/// Of a norm layer, under torchvision's names; such weights begin at 1.
bool isNormWeight(std::string_view tag) {
  return tag.find(".bn") != std::string_view::npos || tag.ends_with(".1.weight");
}

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// The median over the weights (without norms and biases) of the medians of their newest update
/// ratios since that step.
std::optional<double> medianUpdateRatio(const RunSoFar& run, std::int64_t since) {
  std::vector<double> ratios;
  for (const auto& [tag, curve] : run.curves.startingWith(events::tags::kUpdateRatios)) {
    if (!tag.ends_with(".weight") || isNormWeight(tag)) continue;
    const std::vector<Curve::Point> points = curve->within(since, run.step);
    if (points.size() < kLeastRatios) continue;
    std::vector<double> newest;
    for (auto point = points.rbegin(); point != points.rend() && newest.size() < kRatios; ++point)
      newest.push_back(point->mean());
    ratios.push_back(medianOf(std::move(newest)));
  }
  return ratios.empty() ? std::nullopt : std::optional(medianOf(std::move(ratios)));
}

/// The loss at the end relative to the loss at the beginning of `from` … the newest step.
std::optional<double> lossChange(const RunSoFar& run, std::int64_t from) {
  const Curve& loss = run.curves.of(events::tags::kTrainTotalLoss);
  const std::int64_t middle = (from + run.step) / 2;
  const auto before = loss.mean(from, middle);
  const auto after = loss.mean(middle + 1, run.step);
  return before && after && *before > 0 ? std::optional(*after / *before) : std::nullopt;
}

/// `solver.base_lr` times a factor, with one digit.
void setRate(Finding& finding, const RunSoFar& run, double factor) {
  finding.remedy = "Find a better one with a learning-rate range test (train --find-lr).";
  if (!run.experiment) return;
  finding.key = "solver.base_lr";
  const double rate = run.experiment->solver.baseLr * factor;
  finding.value = base::shortNumber(factor < 1 ? std::min(rate, kLargestLowered) : rate, 1);
  finding.remedy = "Set solver.base_lr to " + finding.value +
                   ", or find it with a learning-rate range test (train --find-lr).";
}

std::optional<Finding> tooLargeUpdates(const RunSoFar& run) {
  const auto from = run.startOfLast(kFallingSteps);
  if (!from) return std::nullopt;
  const auto ratio = medianUpdateRatio(run, std::max(run.warmupEnd(), run.since) + 1);
  const auto change = lossChange(run, *from);
  if (!ratio || !change || *ratio <= kMostUpdateRatio || *change <= 1) return std::nullopt;
  Finding finding{
      .kind = protocol::AlertKind::LearningRateTooHigh,
      .problem =
          "The learning rate is too high: updates are " + base::percent(*ratio) +
          " of their weights, where 0.1 % is usual, and the training loss does not fall in " +
          stepRange(*from, run.step) + ".",
      .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
      .from = *from,
      .to = run.step,
      .isBreakdown = true};
  setRate(finding, run, kUsualRatio / *ratio);
  return finding;
}

/// Also in the warm-up: a rate that it has not yet reached is higher still.
std::optional<Finding> risingLoss(const RunSoFar& run, std::size_t firstPoints,
                                  std::size_t newestValues, double rise) {
  const Curve& loss = run.curves.of(events::tags::kTrainTotalLoss);
  const auto& points = loss.points();
  const auto from = loss.startOfNewest(newestValues);
  if (points.size() < firstPoints + newestValues || !from || *from <= run.since)
    return std::nullopt;
  const std::int64_t begin = points.front().first, end = points[firstPoints - 1].last;
  const auto first = loss.median(begin, end);
  const auto now = loss.median(*from, run.step);
  if (!first || !now || *first <= 0 || *now <= rise * *first) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::LearningRateTooHigh,
                  .problem = "The learning rate is too high: the training loss is " +
                             base::shortNumber(*now, 3) + " in " + stepRange(*from, run.step) +
                             " (median), and was " + base::shortNumber(*first, 3) + " in " +
                             stepRange(begin, end) + ".",
                  .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
                  .from = begin,
                  .to = run.step,
                  .isBreakdown = true};
  setRate(finding, run, 0.1);
  return finding;
}

}  // namespace

/// Sources: Karpathy's notes for Stanford's CS231n ("Ratio of weights:updates"); Smith, Cyclical
/// learning rates, arXiv:1506.01186.
std::optional<Finding> learningRateTooHigh(const RunSoFar& run) {
  if (auto finding = tooLargeUpdates(run)) return finding;
  for (const auto& [firstPoints, newestValues, rise] : kRises)
    if (auto finding = risingLoss(run, firstPoints, newestValues, rise)) return finding;
  return std::nullopt;
}

/// Sources as of learningRateTooHigh().
std::optional<Finding> learningRateTooLow(const RunSoFar& run) {
  const std::int64_t begin = std::max(run.warmupEnd(), run.since);
  const auto early = std::max(
      kEarlySteps, static_cast<std::int64_t>(kEarlyShare * static_cast<double>(run.maxSteps())));
  if (run.step > begin + early || run.hasDecayed()) return std::nullopt;
  const auto ratio = medianUpdateRatio(run, begin + 1);
  if (!ratio || *ratio == 0 || *ratio >= kLeastRatio) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::LearningRateTooLow,
                  .problem = "The learning rate is too low: updates are " + base::percent(*ratio) +
                             " of their weights in " + stepRange(begin + 1, run.step) +
                             ", where 0.1 % is usual.",
                  .tags = {events::tags::kTrainTotalLoss, events::tags::kLearningRate},
                  .from = begin + 1,
                  .to = run.step};
  setRate(finding, run, std::min(kUsualRatio / *ratio, kMostRaisedRate));
  return finding;
}

}  // namespace lockstep::alerts
