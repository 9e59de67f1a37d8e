#pragma once

#include <optional>
#include <set>

#include "engine/base/enum_text.h"
#include "engine/coco/analysis/count_errors.h"
#include "engine/coco/evaluation/lvis.h"
#include "engine/coco/label_maps/aggregated_jaccard.h"
#include "engine/coco/label_maps/f1.h"
#include "engine/coco/label_maps/panoptic_quality.h"

namespace lockstep::coco {

/// Metrics of other fields than COCO's.
enum class ExtraMetric { PanopticQuality, F1, AggregatedJaccard, Counts, Lvis };
constexpr auto enumTexts(ExtraMetric) {
  using enum ExtraMetric;
  return std::to_array<base::EnumText<ExtraMetric>>({{PanopticQuality, "pq"},
                                                     {F1, "f1"},
                                                     {AggregatedJaccard, "aji"},
                                                     {Counts, "counts"},
                                                     {Lvis, "lvis"}});
}

/// At the score threshold, but for those of LVIS. What was not asked for is empty.
struct ExtraMetrics {
  double scoreThreshold = 0;
  bool isAtBestF1 = false;  ///< the score threshold was not given
  std::optional<PanopticQualities> panopticQuality;
  std::optional<SegmentCountsByThreshold> f1;
  std::optional<AggregatedJaccard> aggregatedJaccard;
  std::optional<CountErrors> counts;
  std::optional<LvisMetrics> lvis;

  bool hasThreshold() const { return panopticQuality || f1 || aggregatedJaccard || counts; }
};

struct ExtraMetricsRequest {
  std::set<ExtraMetric> metrics;
  std::optional<double> scoreThreshold;  ///< none: the one with the best F1 over all classes
  /// IoU threshold of that F1.
  double iouThreshold = .5;

  bool needsThreshold() const { return !metrics.empty() && metrics != std::set{ExtraMetric::Lvis}; }
};

/// `type` and `params` are of LVIS' metrics and of the best score threshold; PQ, F1 and AJI are of
/// masks. F1 has the IoU thresholds of `params`. Throws Error as ResultsFile::detectionsOf() does.
ExtraMetrics extraMetrics(const Dataset& groundTruth, const ResultsFile& results, IouType type,
                          const ExtraMetricsRequest& request, const Params& params = {},
                          int threads = 0);

}  // namespace lockstep::coco
