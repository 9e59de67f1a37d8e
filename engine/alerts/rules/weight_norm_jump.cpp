#include <algorithm>
#include <cmath>

#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

/// A milestone divides the learning rate by more than this from one step to the next.
constexpr double kMilestoneFactor = 2;
/// A norm jumps when it changes by this many times its usual change …
constexpr double kNormJumpFactor = 5;
/// … and by this share of itself; the norms of half of the parameters do.
constexpr double kLeastChange = 0.01, kShareOfParameters = 0.5;
constexpr std::size_t kChangesBefore = 4;

/// The last step before the newest milestone that was passed.
std::optional<std::int64_t> newestMilestone(const RunSoFar& run) {
  const std::vector<std::int64_t> milestones = run.milestones();
  for (auto milestone = milestones.rbegin(); milestone != milestones.rend(); ++milestone)
    if (*milestone<run.step&& * milestone> run.since) return *milestone;
  if (run.experiment) return std::nullopt;
  const auto& points = run.curves.of(events::tags::kLearningRate).points();
  for (std::size_t i = points.size(); i-- > 1;) {
    if (points[i].most * kMilestoneFactor < points[i - 1].least) return points[i - 1].last;
  }
  return std::nullopt;
}

/// How many times its usual change the norm changes at that step; nothing without enough values.
std::optional<double> jumpAt(std::int64_t step, const Curve& norms) {
  const auto& points = norms.points();
  const auto after = std::ranges::find_if(
      points, [step](const Curve::Point& point) { return point.first > step; });
  if (after == points.end() || after - points.begin() <= std::ptrdiff_t{kChangesBefore})
    return std::nullopt;
  std::vector<double> changes;
  for (auto point = after - kChangesBefore; point != after; ++point)
    changes.push_back(std::abs(point->mean() - (point - 1)->mean()));
  std::ranges::nth_element(changes, changes.begin() + kChangesBefore / 2);
  const double usual = changes[kChangesBefore / 2];
  const double change = std::abs(after->mean() - (after - 1)->mean());
  if (change < kLeastChange * std::abs((after - 1)->mean()) || usual == 0) return 0;
  return change / usual;
}

}  // namespace

/// Sources: AWS's Mask R-CNN on SageMaker, which saw it in Debugger's weight norms and chose the
/// cosine; Loshchilov and Hutter, SGDR, arXiv:1608.03983.
std::optional<Finding> weightNormJump(const RunSoFar& run) {
  const auto milestone = newestMilestone(run);
  if (!milestone) return std::nullopt;
  std::size_t parameters = 0, jumping = 0;
  double most = 0;
  std::string mostTag;
  for (const auto& [tag, norms] : run.curves.startingWith(events::tags::kWeightNorms)) {
    const auto jump = jumpAt(*milestone, *norms);
    if (!jump) continue;
    ++parameters;
    if (*jump < kNormJumpFactor) continue;
    ++jumping;
    if (*jump <= most) continue;
    most = *jump;
    mostTag = tag;
  }
  if (parameters == 0 ||
      static_cast<double>(jumping) < kShareOfParameters * static_cast<double>(parameters))
    return std::nullopt;
  return Finding{.kind = protocol::AlertKind::WeightNormJump,
                 .subject = std::to_string(*milestone),
                 .problem = "The weight norms of " + std::to_string(jumping) + " of " +
                            base::counted(parameters, "parameter") + " jump at step " +
                            std::to_string(*milestone) +
                            ", where the learning rate falls at once; the largest, " + mostTag +
                            ", by " + base::shortNumber(most, 2) + " times its usual change.",
                 .remedy = "Let it fall smoothly: set solver.schedule to cosine.",
                 .tags = {mostTag, events::tags::kLearningRate},
                 .from = *milestone,
                 .to = run.step,
                 .key = "solver.schedule",
                 .value = "cosine"};
}

}  // namespace lockstep::alerts
