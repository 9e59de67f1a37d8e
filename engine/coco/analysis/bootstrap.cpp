#include "engine/coco/analysis/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "engine/base/counter_hash.h"
#include "engine/base/error.h"
#include "engine/base/parallel_for.h"

namespace lockstep::coco {
namespace {

constexpr double kOutside = .025;  // probability on either side of the interval
constexpr double kSignificance = .05;

std::vector<std::uint32_t> unitWeights(std::size_t count) {
  return std::vector<std::uint32_t>(count, 1);
}

/// AP of each resample that has an object.
std::vector<ApFigures> resampledFigures(const WeightedAp& results,
                                        const BootstrapOptions& options) {
  std::vector<ApFigures> figures(options.resamples);
  base::parallelFor(options.resamples, options.threads, [&](std::size_t r) {
    if (options.stop.stop_requested()) return;
    figures[r] = results.at(resampleWeights(results.imageCount(), options.seed, r));
  });
  std::erase_if(figures, [](const ApFigures& one) { return one.ap < 0; });
  return figures;
}

/// Interpolated precision is biased upwards where images are drawn twice, so resamples have a
/// higher AP than the original images: only their spread around their own mean is used.
void moveMeanTo(double estimate, std::vector<double>& values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& value : values) value += estimate - mean;
}

Interval intervalOf(const std::vector<ApFigures>& figures, double ApFigures::*member,
                    const ApFigures& estimate) {
  if (figures.empty() || estimate.*member < 0) return {};
  std::vector<double> values;
  values.reserve(figures.size());
  for (const ApFigures& one : figures) values.push_back(one.*member);
  moveMeanTo(estimate.*member, values);
  const Interval interval = percentileInterval(std::move(values));
  return {std::max(interval.low, 0.0), std::min(interval.high, 1.0)};
}

double twoSidedP(const std::vector<double>& differences) {
  const auto notAbove = std::count_if(differences.begin(), differences.end(),
                                      [](double difference) { return difference <= 0; });
  const auto notBelow = std::count_if(differences.begin(), differences.end(),
                                      [](double difference) { return difference >= 0; });
  const auto count = static_cast<double>(std::min(notAbove, notBelow));
  return std::min(1.0, 2 * (count + 1) / static_cast<double>(differences.size() + 1));
}

}  // namespace

std::vector<std::uint32_t> resampleWeights(std::size_t imageCount, std::uint64_t seed,
                                           std::size_t resample) {
  const std::uint64_t key = base::counterHash(
      {seed, static_cast<std::uint64_t>(base::RandomPurpose::Resample), resample});
  std::vector<std::uint32_t> weights(imageCount, 0);
  for (std::size_t draw = 0; draw < imageCount; ++draw) {
    const std::uint64_t word = base::counterHash({key, draw}) >> 32;
    ++weights[word * imageCount >> 32];
  }
  return weights;
}

Interval percentileInterval(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&values](double share) {
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(std::floor(place));
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return values[below] + (values[above] - values[below]) * (place - std::floor(place));
  };
  return {at(kOutside), at(1 - kOutside)};
}

ApUncertainty bootstrap(const WeightedAp& results, const BootstrapOptions& options) {
  const std::vector<ApFigures> figures = resampledFigures(results, options);
  const ApFigures estimate = results.at(unitWeights(results.imageCount()));
  return {estimate, intervalOf(figures, &ApFigures::ap, estimate),
          intervalOf(figures, &ApFigures::ap50, estimate), figures.size()};
}

ApComparison compareAp(const WeightedAp& a, const WeightedAp& b, const BootstrapOptions& options) {
  if (a.imageCount() != b.imageCount()) {
    throw Error("results of " + std::to_string(a.imageCount()) + " and of " +
                std::to_string(b.imageCount()) + " images cannot be compared in pairs");
  }
  ApComparison comparison;
  comparison.a = a.at(unitWeights(a.imageCount()));
  comparison.b = b.at(unitWeights(b.imageCount()));
  if (comparison.a.ap < 0) return comparison;
  comparison.difference = comparison.b.ap - comparison.a.ap;
  std::vector<double> differences(options.resamples);
  base::parallelFor(options.resamples, options.threads, [&](std::size_t r) {
    const auto weights = resampleWeights(a.imageCount(), options.seed, r);
    const double apOfA = a.at(weights).ap;
    differences[r] = apOfA < 0 ? std::nan("") : b.at(weights).ap - apOfA;
  });
  std::erase_if(differences, [](double difference) { return std::isnan(difference); });
  comparison.resamples = differences.size();
  if (differences.empty()) return comparison;
  moveMeanTo(comparison.difference, differences);
  comparison.pValue = twoSidedP(differences);
  comparison.interval = percentileInterval(std::move(differences));
  if (comparison.pValue < kSignificance) {
    comparison.verdict =
        comparison.interval.low > 0 ? ComparisonVerdict::BIsBetter : ComparisonVerdict::AIsBetter;
  }
  return comparison;
}

}  // namespace lockstep::coco
