#include "engine/coco/analysis/analysis.h"

namespace lockstep::coco {

Analysis analyse(OverlapSet overlaps, const WeightedAp& results, const AnalysisOptions& options) {
  Analysis analysis(std::move(overlaps));
  analysis.iouThreshold = options.iouThreshold;
  const OverlapSet& set = analysis.overlaps;
  analysis.curves = precisionRecall(set, analysis.iouThreshold);
  analysis.isAtBestF1 = !options.scoreThreshold.has_value();
  analysis.scoreThreshold = options.scoreThreshold.value_or(analysis.curves.pooled.bestF1Score);
  analysis.byScore = sweepScores(set, analysis.iouThreshold);
  analysis.operatingPoint = operatingPoint(set, analysis.scoreThreshold, analysis.iouThreshold);
  analysis.errors = errorCosts(set, analysis.iouThreshold);
  analysis.uncertainty = bootstrap(results);
  return analysis;
}

}  // namespace lockstep::coco
