#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr std::int64_t kSteps = 100;
constexpr double kMostClipped = 0.9;
/// The threshold that is suggested, relative to the median norm.
constexpr double kThreshold = 2;

}  // namespace

/// Clipping at nearly every step no longer guards against outliers but sets the length of every
/// update. Source: Pascanu, Mikolov and Bengio (a threshold of some times the average norm),
/// arXiv:1211.5063.
std::optional<Finding> constantClipping(const RunSoFar& run) {
  const auto from = run.startOfLast(kSteps);
  if (!from || !run.experiment || run.experiment->solver.clipGradNorm <= 0) return std::nullopt;
  const double threshold = run.experiment->solver.clipGradNorm;
  const Curve& norms = run.curves.of(events::tags::kGradientNorm);
  double clipped = 0, all = 0;
  for (const Curve::Point& point : norms.points()) {
    if (point.first < *from || point.last > run.step) continue;
    all += static_cast<double>(point.count);
    if (point.mean() > threshold) clipped += static_cast<double>(point.count);
  }
  const auto median = norms.median(*from, run.step);
  if (!median || clipped <= kMostClipped * all) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::ConstantClipping,
                  .problem = "The gradients were clipped at " + base::percent(clipped / all) +
                             " of the steps " + std::to_string(*from) + " to " +
                             std::to_string(run.step) + ": their median norm is " +
                             base::shortNumber(*median, 3) + ", solver.clip_grad_norm " +
                             base::shortNumber(threshold, 3) + ".",
                  .tags = {events::tags::kGradientNorm},
                  .from = *from,
                  .to = run.step,
                  .key = "solver.clip_grad_norm",
                  .value = base::shortNumber(kThreshold * *median, 2)};
  finding.remedy = "Set it to " + finding.value + ", above the usual norm.";
  return finding;
}

}  // namespace lockstep::alerts
