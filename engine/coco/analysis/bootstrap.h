#pragma once

#include <cstdint>
#include <vector>

#include "engine/coco/analysis/weighed_ap.h"

/// How sure AP is: the bootstrap over images (Efron & Tibshirani, "An Introduction to the
/// Bootstrap", 1993). The images are what is drawn, so the figures say how AP would move on other
/// images of the same kind, not how it moves with the seed of training.
namespace lockstep::coco {

struct BootstrapOptions {
  std::size_t resamples = 1000;
  std::uint64_t seed = 0;  ///< equal seeds draw equal images
  int threads = 0;         ///< 0: as many as the machine has; the figures do not depend on it
};

/// How often each of imageCount images is in a resample: as many are drawn, with replacement.
std::vector<std::uint32_t> resampleWeights(std::size_t imageCount, std::uint64_t seed,
                                           std::size_t resample);

/// Percentile interval of 95 %, between two values by numpy's linear rule. Those of figures are of
/// resamples that are moved so that their mean is the figure of the images as they are.
struct Interval {
  double low = -1, high = -1;  ///< -1: no resample says anything
};
/// Values are sorted; must hold one or more.
Interval percentileInterval(std::vector<double> values);

struct ApUncertainty {
  ApFigures figures;  ///< of the images as they are
  Interval ap, ap50;
  std::size_t resamples = 0;  ///< that hold an object
};
ApUncertainty bootstrap(const WeighedAp& results, const BootstrapOptions& options = {});

enum class ComparisonVerdict { BIsBetter, AIsBetter, NoDifferenceShown };

struct ApComparison {
  ApFigures a, b;
  double difference = 0;  ///< AP of B less AP of A
  Interval interval;      ///< of the difference
  /// Two-sided: twice the share of resamples in which the difference is not on the side of the
  /// greater part, (k + 1) / (resamples + 1), at most 1.
  double pValue = 1;
  ComparisonVerdict verdict = ComparisonVerdict::NoDifferenceShown;  ///< by pValue < 0.05
  std::size_t resamples = 0;                                         ///< that hold an object
};

/// Paired: both results are of the same images and meet the same resamples, so that what is hard
/// for both cancels out. Throws Error where the numbers of images differ. Fewer than 40 resamples
/// cannot show a difference.
ApComparison compareAp(const WeighedAp& a, const WeighedAp& b,
                       const BootstrapOptions& options = {});

}  // namespace lockstep::coco
