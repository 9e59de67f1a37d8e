#include "engine/coco/analysis/precision_recall.h"

#include <algorithm>

#include "engine/base/parallel_for.h"
#include "engine/coco/analysis/image_chunks.h"
#include "engine/coco/evaluation/instance_matches.h"

namespace lockstep::coco {
namespace {

struct ScoredHit {
  double score;
  bool isHit;
};

/// The detections of one class, or of all classes pooled.
struct ScoredList {
  std::vector<ScoredHit> detections;  ///< that count
  std::uint64_t gtCount = 0;
};

struct ScoreChunk {
  std::vector<ScoredList> classes;
  InstanceMatcher matcher;
};

void takeMatches(const ImageOverlaps& image, const OverlapSet::ClassRows& rows,
                 const InstanceMatches& matches, std::vector<ScoredList>& classes) {
  for (std::size_t d = 0; d < matches.detections.size(); ++d) {
    const MatchVerdict verdict = matches.detections[d].verdict;
    if (verdict == MatchVerdict::Ignored) continue;
    classes[rows.ofDetections[d]].detections.push_back(
        {image.detections[d].score, verdict == MatchVerdict::TruePositive});
  }
  for (std::size_t g = 0; g < rows.ofAnnotations.size(); ++g) {
    classes[rows.ofAnnotations[g]].gtCount += matches.detectionOfAnnotation[g] != kNotCounted;
  }
}

/// Ties of equal scores keep the order of images.
void rank(ScoredList& list) {
  std::stable_sort(list.detections.begin(), list.detections.end(),
                   [](const ScoredHit& a, const ScoredHit& b) { return a.score > b.score; });
}

std::vector<ScoredList> listsByClass(const OverlapSet& set, double iouThreshold, int threads) {
  const auto takeImage = [&](ScoreChunk& chunk, std::size_t i) {
    chunk.classes.resize(set.categories().size());
    const ImageOverlaps& image = set.images()[i];
    takeMatches(image, set.rowsOf(i), chunk.matcher.match(image, iouThreshold), chunk.classes);
  };
  const auto chunks = forImageChunks<ScoreChunk>(set.images().size(), threads, takeImage);
  std::vector<ScoredList> lists(set.categories().size());
  for (const ScoreChunk& chunk : chunks) {
    for (std::size_t k = 0; k < lists.size(); ++k) {
      const auto& detections = chunk.classes[k].detections;
      lists[k].detections.insert(lists[k].detections.end(), detections.begin(), detections.end());
      lists[k].gtCount += chunk.classes[k].gtCount;
    }
  }
  return lists;
}

ScoredList pool(const std::vector<ScoredList>& lists) {
  ScoredList pooled;
  for (const ScoredList& list : lists) {
    pooled.detections.insert(pooled.detections.end(), list.detections.begin(),
                             list.detections.end());
    pooled.gtCount += list.gtCount;
  }
  return pooled;
}

void addPoints(const ScoredList& ranked, PrecisionRecallCurve& curve) {
  const auto gtCount = static_cast<double>(ranked.gtCount);
  double hits = 0, hitsBefore = 0;
  curve.bestF1 = 0;
  for (std::size_t d = 0; d < ranked.detections.size(); ++d) {
    const double score = ranked.detections[d].score;
    hits += ranked.detections[d].isHit;
    const bool isLastOfScore =
        d + 1 == ranked.detections.size() || ranked.detections[d + 1].score != score;
    if (!isLastOfScore || hits == hitsBefore) continue;
    hitsBefore = hits;
    const auto count = static_cast<double>(d + 1);
    curve.points.push_back({score, hits / count, hits / gtCount});
    const double f1 = 2 * hits / (count + gtCount);
    if (f1 <= curve.bestF1) continue;
    curve.bestF1 = f1;
    curve.bestF1Score = score;
  }
}

PrecisionRecallCurve curveOf(ScoredList& list) {
  PrecisionRecallCurve curve;
  curve.precision.fill(-1);
  if (list.gtCount == 0) return curve;
  rank(list);
  addPoints(list, curve);
  RankedHits hits;
  double found = 0;
  for (std::size_t d = 0; d < list.detections.size(); ++d) {
    if (list.detections[d].isHit) hits.push_back({++found, static_cast<double>(d + 1)});
  }
  curve.precision = precisionAtRecalls(hits, static_cast<double>(list.gtCount));
  curve.ap = meanPrecision({&curve.precision, 1});
  return curve;
}

}  // namespace

PrecisionRecall precisionRecall(const OverlapSet& set, double iouThreshold, int threads) {
  std::vector<ScoredList> lists = listsByClass(set, iouThreshold, threads);
  ScoredList pooled = pool(lists);
  PrecisionRecall result;
  result.classes.resize(lists.size());
  base::parallelFor(lists.size() + 1, threads, [&](std::size_t k) {  // the longest one first
    (k == 0 ? result.pooled : result.classes[k - 1]) = curveOf(k == 0 ? pooled : lists[k - 1]);
  });
  std::vector<RecallCurve> curves;
  for (const PrecisionRecallCurve& curve : result.classes) {
    if (curve.ap >= 0) curves.push_back(curve.precision);
  }
  result.ap = meanPrecision(curves);
  result.meanPrecision.fill(curves.empty() ? -1 : 0);
  for (const RecallCurve& curve : curves) {
    for (std::size_t r = 0; r < curve.size(); ++r) {
      result.meanPrecision[r] += curve[r] / static_cast<double>(curves.size());
    }
  }
  return result;
}

}  // namespace lockstep::coco
