#include "engine/train/detector_metrics.h"

#include <optional>

#include "engine/events/tags.h"

namespace lockstep::train {
namespace {

using model::DetectorCount;

/// A count per image, or relative to another count.
struct DetectorMetric {
  const char* tag;
  DetectorCount count;
  std::optional<DetectorCount> of{};
};

constexpr DetectorMetric kMetrics[] = {
    {events::tags::kRpnPositives, DetectorCount::RpnPositives},
    {events::tags::kRpnRecall, DetectorCount::ProposedObjects, DetectorCount::Objects},
    {events::tags::kRoiPositives, DetectorCount::RoiPositives},
    {events::tags::kBoxAccuracy, DetectorCount::CorrectClasses, DetectorCount::Rois},
    {events::tags::kMaskAccuracy, DetectorCount::CorrectMaskPixels, DetectorCount::MaskPixels},
};

}  // namespace

std::vector<std::pair<std::string, float>> detectorMetrics(
    const std::array<double, model::kDetectorCounts>& counts, double images) {
  std::vector<std::pair<std::string, float>> values;
  for (const DetectorMetric& metric : kMetrics) {
    const double denominator = metric.of ? counts[model::indexOf(*metric.of)] : images;
    if (denominator > 0)
      values.emplace_back(metric.tag,
                          static_cast<float>(counts[model::indexOf(metric.count)] / denominator));
  }
  for (std::size_t level = 0; level < config::kPyramidLevels; ++level) {
    const double matched = counts[model::indexOf(DetectorCount::MatchedAnchors, level)];
    values.emplace_back(events::tags::matchedAnchors(level), static_cast<float>(matched / images));
  }
  return values;
}

}  // namespace lockstep::train
