#include "engine/coco/analysis/results_comparison.h"

#include <algorithm>
#include <cstdio>

#include "engine/base/number_text.h"

namespace lockstep::coco {
namespace {

std::string formatted(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// `12.9 AP points (95 % CI 5.8 to 18.9, p = 0.002); AP 0.5366 (new.json) vs. 0.4621 (old.json) …`
std::string evidence(const ResultsComparison& comparison, bool bIsWorse) {
  const ApComparison& ap = comparison.ap;
  const double sign = bIsWorse ? -1 : 1;
  const auto points = [](double share) {
    const std::string text = formatted("%.1f", 100 * share);
    return text == "-0.0" ? "0.0" : text;
  };
  const auto [low, high] = std::minmax({sign * ap.interval.low, sign * ap.interval.high});
  return points(sign * ap.difference) + " AP points (95 % CI " + points(low) + " to " +
         points(high) + ", p = " + formatted("%.3f", ap.pValue) + "); AP " +
         formatted("%.4f", ap.b.ap) + " vs. " + formatted("%.4f", ap.a.ap) + "; " +
         std::to_string(ap.resamples) + " resamples of " +
         base::counted(comparison.imageCount, "image") + ", not of trainings" +
         (comparison.imageCount < kFewImages ? "; rough with so few images" : "");
}

}  // namespace

std::string verdictSentence(const ResultsComparison& comparison) {
  const std::string &a = comparison.nameA, &b = comparison.nameB;
  if (comparison.ap.resamples == 0)
    return "no comparison of " + b + " with " + a + ": the ground truth has no objects";
  switch (comparison.ap.verdict) {
    case ComparisonVerdict::BIsBetter:
      return b + " is better than " + a + " by " + evidence(comparison, false);
    case ComparisonVerdict::AIsBetter:
      return b + " is worse than " + a + " by " + evidence(comparison, true);
    case ComparisonVerdict::NoDifferenceShown:
      break;
  }
  return "no significant difference of " + b + " from " + a + ": " + evidence(comparison, false);
}

}  // namespace lockstep::coco
