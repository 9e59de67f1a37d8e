#pragma once

#include <cstdint>
#include <stop_token>
#include <vector>

#include "engine/coco/analysis/weighted_ap.h"

/// Confidence intervals of AP by bootstrap over images (Efron & Tibshirani, "An Introduction to the
/// Bootstrap", 1993). Images are resampled, so the intervals show how AP varies between sets of
/// similar images, not between training seeds.
namespace lockstep::coco {

/// With fewer images, intervals and p-values are rough.
inline constexpr std::size_t kFewImages = 30;

struct BootstrapOptions {
  std::size_t resamples = 1000;
  std::uint64_t seed = 0;  ///< equal seeds give equal resamples
  int threads = 0;         ///< 0: as many as the machine has; results do not depend on it
  std::stop_token stop{};  ///< ends it soon, with a result that means nothing
};

/// How often each image occurs in a resample, which draws imageCount images with replacement.
std::vector<std::uint32_t> resampleWeights(std::size_t imageCount, std::uint64_t seed,
                                           std::size_t resample);

/// 95 % percentile interval, with numpy's linear interpolation. For AP, the resamples are shifted
/// so that their mean is the AP of the original images.
struct Interval {
  double low = -1, high = -1;  ///< -1: no resample has an object
};
/// Sorts `values`, which must not be empty.
Interval percentileInterval(std::vector<double> values);

struct ApUncertainty {
  ApFigures figures;  ///< of the original images
  Interval ap, ap50;
  std::size_t resamples = 0;  ///< those with at least one object
};
ApUncertainty bootstrap(const WeightedAp& results, const BootstrapOptions& options = {});

enum class ComparisonVerdict { BIsBetter, AIsBetter, NoDifferenceShown };

struct ApComparison {
  ApFigures a, b;
  double difference = 0;  ///< AP of B minus AP of A
  Interval interval;      ///< of the difference
  /// Two-sided: twice the fraction (k + 1) / (resamples + 1), where k resamples have a difference
  /// of the less frequent sign; at most 1.
  double pValue = 1;
  ComparisonVerdict verdict = ComparisonVerdict::NoDifferenceShown;  ///< by pValue < 0.05
  std::size_t resamples = 0;  ///< those with at least one object
};

/// Paired bootstrap: both results are of the same images and use the same resamples, so that images
/// that are hard for both cancel out. Throws Error if the numbers of images differ. With fewer than
/// 40 resamples no difference can be significant.
ApComparison compareAp(const WeightedAp& a, const WeightedAp& b,
                       const BootstrapOptions& options = {});

}  // namespace lockstep::coco
