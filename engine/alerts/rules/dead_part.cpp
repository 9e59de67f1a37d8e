#include <algorithm>

#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr std::int64_t kDeadSteps = 50;
/// Relative to the largest of the parts.
constexpr double kDead = 1e-6;

/// The loss whose weight is 0 and without which the part does not learn.
std::optional<config::Loss> lossSwitchedOff(const RunSoFar& run, std::string_view part) {
  if (!run.experiment) return std::nullopt;
  const auto& weights = run.experiment->solver.lossWeights.values;
  for (const auto& [name, loss] :
       {std::pair{"mask_head", config::Loss::Mask}, std::pair{"box_head", config::Loss::Classifier},
        std::pair{"rpn", config::Loss::Objectness}})
    if (part == name && weights[config::indexOf(loss)] == 0) return loss;
  return std::nullopt;
}

void setDeadPartRemedy(Finding& finding, const RunSoFar& run) {
  if (const auto loss = lossSwitchedOff(run, finding.subject)) {
    finding.key =
        std::string("solver.loss_weights.") + config::kLosses[config::indexOf(*loss)].name;
    finding.value = "1";
    finding.remedy = "The weight of its loss is 0: set " + finding.key + " to 1.";
  } else if (run.experiment) {
    finding.key = "solver.base_lr";
    finding.value = base::shortNumber(run.experiment->solver.baseLr / 10, 1);
    finding.isBreakdown = true;
    finding.remedy =
        "Restart it with a lower learning rate: set solver.base_lr to " + finding.value + ".";
  }
}

std::optional<double> highest(const Curve& curve, std::int64_t from, std::int64_t to) {
  std::optional<double> highest;
  for (const Curve::Point& point : curve.within(from, to))
    highest = std::max(highest.value_or(point.most), point.most);
  return highest;
}

}  // namespace

/// A part that gets no gradients does not learn, as ReLUs after too large an update. Source: Lu and
/// others, Dying ReLU and initialization, arXiv:1903.06733.
std::optional<Finding> deadPart(const RunSoFar& run) {
  const auto from = run.startOfLast(kDeadSteps);
  if (!from) return std::nullopt;
  const auto parts = run.curves.startingWith(events::tags::kPartGradientNorms);
  double largest = 0;
  for (const auto& [tag, norms] : parts)
    largest = std::max(largest, norms->median(*from, run.step).value_or(0));
  for (const auto& [tag, norms] : parts) {
    // The largest: with images without objects, the norm of a head is 0 at some steps.
    const auto norm = highest(*norms, *from, run.step);
    if (!norm || largest == 0 || *norm > kDead * largest) continue;
    Finding finding{
        .kind = protocol::AlertKind::DeadPart,
        .subject = tag.substr(std::string_view(events::tags::kPartGradientNorms).size()),
        .tags = {tag},
        .from = *from,
        .to = run.step};
    finding.problem = "Part " + finding.subject + " does not learn: its gradient norm is " +
                      base::shortNumber(*norm, 2) + " at most in " + stepRange(*from, run.step) +
                      ", and that of another part " + base::shortNumber(largest, 3) + " (median).";
    setDeadPartRemedy(finding, run);
    return finding;
  }
  return std::nullopt;
}

}  // namespace lockstep::alerts
