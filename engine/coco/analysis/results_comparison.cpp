#include "engine/coco/analysis/results_comparison.h"

#include <cstdio>

#include "engine/base/number_text.h"

namespace lockstep::coco {
namespace {

std::string formatted(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string evidence(const ResultsComparison& comparison) {
  const ApComparison& ap = comparison.ap;
  return "(95 % interval " + formatted("%+.4f", ap.interval.low) + " to " +
         formatted("%+.4f", ap.interval.high) + ", p = " + formatted("%.3f", ap.pValue) + ", " +
         std::to_string(ap.resamples) + " resamples of " +
         base::counted(comparison.imageCount, "image") + ", not of trainings" +
         (comparison.imageCount < kFewImages ? "; rough with so few images)" : ")");
}

}  // namespace

std::string verdictSentence(const ResultsComparison& comparison) {
  const ApComparison& ap = comparison.ap;
  const std::string &a = comparison.nameA, &b = comparison.nameB;
  if (ap.resamples == 0)
    return "no comparison of " + b + " with " + a + ": the ground truth has no objects";
  const std::string apOfA = formatted("%.4f", ap.a.ap), apOfB = formatted("%.4f", ap.b.ap);
  const std::string end = ", " + formatted("%+.4f", ap.difference) + " " + evidence(comparison);
  if (ap.verdict == ComparisonVerdict::NoDifferenceShown)
    return "no significant difference: AP " + apOfB + " (" + b + ") vs. " + apOfA + " (" + a + ")" +
           end;
  const bool bIsBetter = ap.verdict == ComparisonVerdict::BIsBetter;
  return b + (bIsBetter ? " is better than " : " is worse than ") + a + ": AP " + apOfB + " vs. " +
         apOfA + end;
}

}  // namespace lockstep::coco
