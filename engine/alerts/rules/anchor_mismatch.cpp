#include <array>

#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/config/pyramid.h"
#include "engine/config/value_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr std::int64_t kAnchorSteps = 200;
/// Trainings whose anchors fit have 0.9 and more after their warm-up.
constexpr double kLeastRecall = 0.6;
/// Of the matched anchors, so many are of the finest or the coarsest level.
constexpr double kMostShare = 0.6;

/// 0.5 where the objects are so small that the finest level has most of the matches, 2 where they
/// are so large that the coarsest has, else 1.
double wantedFactor(const RunSoFar& run, std::int64_t from) {
  std::array<double, config::kPyramidLevels> matched{};
  double all = 0;
  for (std::size_t level = 0; level < matched.size(); ++level) {
    matched[level] =
        run.curves.of(events::tags::matchedAnchors(level)).mean(from, run.step).value_or(0);
    all += matched[level];
  }
  if (matched.front() > kMostShare * all) return 0.5;
  return matched.back() > kMostShare * all ? 2 : 1;
}

void setAnchorRemedy(Finding& finding, const RunSoFar& run, double factor) {
  finding.remedy = "See whether the anchors fit the objects: config check --data.";
  if (!run.experiment || factor == 1) return;
  std::vector<double> sizes = run.experiment->model.anchors.sizes;
  for (double& size : sizes) size *= factor;
  finding.key = "model.anchors.sizes";
  finding.value = config::writeNumbers(sizes);
  finding.remedy = "Most matched anchors are on the " +
                   std::string(factor < 1 ? "finest" : "coarsest") +
                   " level, so the anchors are too " + (factor < 1 ? "large" : "small") +
                   ": set model.anchors.sizes to " + finding.value +
                   ", or to the anchors that config check --data suggests.";
}

}  // namespace

/// The proposals miss the objects, because no anchor is near them. Source: Redmon and Farhadi,
/// YOLO9000 (anchors from the boxes of the data), arXiv:1612.08242.
std::optional<Finding> anchorMismatch(const RunSoFar& run) {
  const auto from = run.startOfLast(kAnchorSteps);
  if (!from) return std::nullopt;
  const auto recall = run.curves.of(events::tags::kRpnRecall).median(*from, run.step);
  if (!recall || *recall >= kLeastRecall) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::AnchorMismatch,
                  .problem = "The RPN proposes only " + base::percent(*recall) +
                             " of the objects with an IoU of 0.5 or more (median of " +
                             stepRange(*from, run.step) + ").",
                  .tags = {events::tags::kRpnRecall},
                  .from = *from,
                  .to = run.step};
  for (std::size_t level = 0; level < config::kPyramidLevels; ++level)
    finding.tags.push_back(events::tags::matchedAnchors(level));
  setAnchorRemedy(finding, run, wantedFactor(run, *from));
  return finding;
}

}  // namespace lockstep::alerts
