#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr std::int64_t kClippingSteps = 100;
constexpr double kMostClipped = 0.9;
/// The threshold that is suggested, relative to the median norm.
constexpr double kThreshold = 2;
/// So many times the threshold may rise without a lower learning rate.
constexpr double kMostRaisedThreshold = 3;

/// A threshold far above the present one makes updates as much longer: then the learning rate has
/// to fall, too.
void setClippingRemedy(Finding& finding, const RunSoFar& run, double threshold, double median) {
  const std::string higher = base::shortNumber(kThreshold * median, 2);
  if (median <= kMostRaisedThreshold * threshold) {
    finding.key = "solver.clip_grad_norm";
    finding.value = higher;
    finding.remedy = "Set it to " + higher + ", above the usual norm.";
  } else {
    finding.remedy = "Set it to " + higher + " and solver.base_lr to " +
                     base::shortNumber(run.experiment->solver.baseLr * threshold / median, 2) +
                     ", so that the updates are as long as now.";
  }
}

}  // namespace

/// Clipping at nearly every step no longer guards against outliers but sets the length of every
/// update. With AdamW, which scales updates by itself, it does little harm. Source: Pascanu,
/// Mikolov and Bengio (a threshold of some times the average norm), arXiv:1211.5063.
std::optional<Finding> constantClipping(const RunSoFar& run) {
  const auto from = run.startOfLast(kClippingSteps);
  if (!from || !run.experiment || run.experiment->solver.clipGradNorm <= 0 ||
      run.experiment->solver.optimizer != config::OptimizerKind::Sgd)
    return std::nullopt;
  const double threshold = run.experiment->solver.clipGradNorm;
  const Curve& norms = run.curves.of(events::tags::kGradientNorm);
  double clipped = 0, all = 0;
  for (const Curve::Point& point : norms.within(*from, run.step)) {
    all += static_cast<double>(point.count);
    if (point.mean() > threshold) clipped += static_cast<double>(point.count);
  }
  const auto median = norms.median(*from, run.step);
  if (!median || clipped <= kMostClipped * all) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::ConstantClipping,
                  .problem = "The gradients were clipped at " + base::percent(clipped / all) +
                             " of the " + stepRange(*from, run.step) + ": their median norm is " +
                             base::shortNumber(*median, 3) + ", solver.clip_grad_norm " +
                             base::shortNumber(threshold, 3) + ".",
                  .tags = {events::tags::kGradientNorm},
                  .from = *from,
                  .to = run.step};
  setClippingRemedy(finding, run, threshold, *median);
  return finding;
}

}  // namespace lockstep::alerts
