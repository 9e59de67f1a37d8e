#include "engine/coco/analysis/score_sweep.h"

#include <algorithm>

#include "engine/coco/analysis/image_chunks.h"
#include "engine/coco/evaluation/instance_matches.h"

namespace lockstep::coco {
namespace {

constexpr std::size_t kThresholds = 101;

std::vector<CountsAtScore> evenThresholds(const OverlapSet& set) {
  double low = 0, high = 1;
  for (const ImageOverlaps& image : set.images()) {
    if (image.detections.empty()) continue;
    high = std::max(high, image.detections.front().score);
    low = std::min(low, image.detections.back().score);
  }
  std::vector<CountsAtScore> sweep(kThresholds);
  for (std::size_t t = 0; t < kThresholds; ++t) {
    const double fraction = static_cast<double>(t) / (kThresholds - 1);
    sweep[t].score = low * (1 - fraction) + high * fraction;
  }
  return sweep;
}

/// The detections of a chunk of images, by the highest threshold that they reach.
struct SweepChunk {
  std::vector<Counts> reaching = std::vector<Counts>(kThresholds);
  std::uint64_t gtCount = 0;
  InstanceMatcher matcher;
};

void takeImage(const ImageOverlaps& image, const InstanceMatches& matches,
               const std::vector<CountsAtScore>& sweep, SweepChunk& chunk) {
  for (std::size_t d = 0; d < matches.detections.size(); ++d) {
    const auto above = std::upper_bound(
        sweep.begin(), sweep.end(), image.detections[d].score,
        [](double score, const CountsAtScore& threshold) { return score < threshold.score; });
    if (above == sweep.begin()) continue;  // the lowest one, by rounding
    Counts& counts = chunk.reaching[static_cast<std::size_t>(above - sweep.begin()) - 1];
    counts.truePositives += matches.detections[d].verdict == MatchVerdict::TruePositive;
    counts.falsePositives += matches.detections[d].verdict == MatchVerdict::FalsePositive;
  }
  for (const std::int32_t found : matches.detectionOfAnnotation)
    chunk.gtCount += found != kNotCounted;
}

}  // namespace

std::vector<CountsAtScore> sweepScores(const OverlapSet& set, double iouThreshold, int threads) {
  std::vector<CountsAtScore> sweep = evenThresholds(set);
  const auto chunks = forImageChunks<SweepChunk>(
      set.images().size(), threads, [&](SweepChunk& chunk, std::size_t i) {
        const ImageOverlaps& image = set.images()[i];
        takeImage(image, chunk.matcher.match(image, iouThreshold), sweep, chunk);
      });
  std::uint64_t gtCount = 0;
  for (const SweepChunk& chunk : chunks) {
    gtCount += chunk.gtCount;
    for (std::size_t t = 0; t < kThresholds; ++t) sweep[t].counts += chunk.reaching[t];
  }
  for (std::size_t t = kThresholds; t-- > 0;) {
    if (t + 1 < kThresholds) sweep[t].counts += sweep[t + 1].counts;
  }
  for (CountsAtScore& at : sweep) at.counts.falseNegatives = gtCount - at.counts.truePositives;
  return sweep;
}

}  // namespace lockstep::coco
