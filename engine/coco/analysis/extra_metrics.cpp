#include "engine/coco/analysis/extra_metrics.h"

#include "engine/base/parallel_for.h"
#include "engine/coco/analysis/precision_recall.h"

namespace lockstep::coco {
namespace {

std::vector<SegmentOverlaps> allOverlaps(const Dataset& groundTruth, const ResultsFile& results,
                                         double scoreThreshold, int threads) {
  std::vector<SegmentOverlaps> overlaps(groundTruth.images().size());
  base::parallelFor(overlaps.size(), threads, [&](std::size_t i) {
    overlaps[i] = findSegmentOverlaps(groundTruth.images()[i], groundTruth.annotationsOf(i),
                                      results.detectionsOf(i), scoreThreshold);
  });
  return overlaps;
}

double bestScoreThreshold(const Dataset& groundTruth, const ResultsFile& results, IouType type,
                          double iouThreshold, const Params& params, int threads) {
  const OverlapSet set(groundTruth, results, type, params, threads);
  return precisionRecall(set, iouThreshold, threads).pooled.bestF1Score;
}

}  // namespace

ExtraMetrics extraMetrics(const Dataset& groundTruth, const ResultsFile& results, IouType type,
                          const ExtraMetricsRequest& request, const Params& params, int threads) {
  const auto isWanted = [&](ExtraMetric metric) { return request.metrics.contains(metric); };
  ExtraMetrics found;
  if (isWanted(ExtraMetric::Lvis))
    found.lvis = evaluateLvis(groundTruth, results, type, params, threads);
  if (!request.needsThreshold()) return found;
  found.isAtBestF1 = !request.scoreThreshold;
  found.scoreThreshold =
      request.scoreThreshold
          ? *request.scoreThreshold
          : bestScoreThreshold(groundTruth, results, type, request.iouThreshold, params, threads);
  if (isWanted(ExtraMetric::Counts))
    found.counts = countErrors(groundTruth, results, found.scoreThreshold);
  const bool wantsPq = isWanted(ExtraMetric::PanopticQuality), wantsF1 = isWanted(ExtraMetric::F1),
             wantsAji = isWanted(ExtraMetric::AggregatedJaccard);
  if (!wantsPq && !wantsF1 && !wantsAji) return found;
  const std::vector<SegmentOverlaps> overlaps =
      allOverlaps(groundTruth, results, found.scoreThreshold, threads);
  const std::vector<Category>& categories = groundTruth.categories();
  if (wantsPq) found.panopticQuality = panopticQuality(overlaps, categories);
  if (wantsF1) found.f1 = segmentCounts(overlaps, categories, params.iouThresholds);
  if (wantsAji) found.aggregatedJaccard = aggregatedJaccard(overlaps);
  return found;
}

}  // namespace lockstep::coco
