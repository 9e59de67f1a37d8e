#include "engine/coco/evaluation/precision_at_recalls.h"

#include <algorithm>
#include <cmath>

#include "engine/coco/evaluation/pairwise_mean.h"

namespace lockstep::coco {
namespace {

constexpr double kSpacing = 0x1.0p-52;  // numpy's spacing(1), which pycocotools adds

double precisionOf(double truePositives, double detections) {
  return truePositives / (detections + kSpacing);
}

/// By recall, then by curve.
void append(std::span<const RecallCurve> curves, std::vector<double>& values) {
  for (std::size_t r = 0; r < kRecallThresholds.size(); ++r)
    for (const RecallCurve& curve : curves) values.push_back(curve[r]);
}

}  // namespace

RecallCurve hitsNeeded(double gtCount) {
  RecallCurve needed;
  for (std::size_t r = 0; r < needed.size(); ++r) {
    const double recall = kRecallThresholds[r];
    double hits = std::ceil(recall * gtCount);  // may be off by one due to rounding
    while (hits > 0 && (hits - 1) / gtCount >= recall) --hits;
    while (hits / gtCount < recall) ++hits;
    needed[r] = hits;
  }
  return needed;
}

RecallCurve precisionAtRecalls(std::span<const RankedHit> hits, const RecallCurve& needed) {
  RecallCurve curve;
  double best = 0;  // from this hit on
  std::size_t r = curve.size();
  for (std::size_t i = hits.size(); i-- > 0;) {
    while (r > 0 && hits[i].truePositives < needed[r - 1]) curve[--r] = best;
    best = std::max(best, precisionOf(hits[i].truePositives, hits[i].detections));
  }
  while (r > 0) curve[--r] = best;
  return curve;
}

void PrecisionOfFirst::add(bool isHit, bool isIgnored) {
  const auto place = static_cast<std::uint32_t>(isHit_.size());
  isHit_.push_back(isHit);
  isIgnored_.push_back(isIgnored);
  detections_ += isIgnored ? 0 : 1;
  if (!isHit) return;
  ++hits_;
  const std::size_t before = nextNeeded_;
  while (nextNeeded_ < needed_.size() && needed_[nextNeeded_] <= hits_) ++nextNeeded_;
  if (nextNeeded_ > before) stretches_.push_back({place, hits_, detections_, 0});
  double& best = stretches_.back().best;
  best = std::max(best, precisionOf(hits_, detections_));
}

/// Of its hits before a place of the list.
double PrecisionOfFirst::bestOf(const Stretch& stretch, std::size_t end) const {
  double hits = stretch.hits, detections = stretch.detections, best = precisionOf(hits, detections);
  for (std::size_t place = stretch.place + std::size_t{1}; place < end; ++place) {
    if (isIgnored_[place]) continue;
    ++detections;
    if (isHit_[place]) best = std::max(best, precisionOf(++hits, detections));
  }
  return best;
}

RecallCurve PrecisionOfFirst::at(std::size_t first) const {
  RecallCurve curve{};
  const auto end = std::ranges::partition_point(
      stretches_, [&](const Stretch& stretch) { return stretch.place < first; });
  double best = 0;
  std::size_t r = curve.size();
  for (auto stretch = end; stretch != stretches_.begin();) {
    const bool isCut = stretch == end;
    --stretch;
    while (isCut && r > 0 && needed_[r - 1] > stretch->hits) --r;  // not reached
    best = std::max(best, isCut ? bestOf(*stretch, first) : stretch->best);
    const double before = stretch == stretches_.begin() ? -1.0 : (stretch - 1)->hits;
    while (r > 0 && needed_[r - 1] > before) curve[--r] = best;
  }
  return curve;
}

double meanPrecision(std::span<const RecallCurve> curves) {
  std::vector<double> values;
  values.reserve(curves.size() * kRecallThresholds.size());
  append(curves, values);
  return values.empty() ? -1 : pairwiseMean(values);
}

double meanPrecision(std::span<const std::vector<RecallCurve>> byThreshold) {
  std::vector<double> values;
  for (const std::vector<RecallCurve>& curves : byThreshold) append(curves, values);
  return values.empty() ? -1 : pairwiseMean(values);
}

}  // namespace lockstep::coco
