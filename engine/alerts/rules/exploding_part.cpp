#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

/// The last steps, and those before them.
constexpr std::int64_t kExplodingSteps = 20, kStepsBefore = 100;
constexpr double kMostGrowth = 30;

}  // namespace

/// Source: Pascanu, Mikolov and Bengio, On the difficulty of training recurrent neural networks
/// (clipping by norm), arXiv:1211.5063.
std::optional<Finding> explodingPart(const RunSoFar& run) {
  const auto from = run.startOfLast(kExplodingSteps + kStepsBefore);
  if (!from) return std::nullopt;
  const std::int64_t last = run.step - kExplodingSteps;
  for (const auto& [tag, norms] : run.curves.startingWith(events::tags::kPartGradientNorms)) {
    const auto before = norms->median(*from, last);
    const auto now = norms->median(last + 1, run.step);
    if (!before || !now || *before == 0 || *now <= kMostGrowth * *before) continue;
    Finding finding{
        .kind = protocol::AlertKind::ExplodingPart,
        .subject = tag.substr(std::string_view(events::tags::kPartGradientNorms).size()),
        .tags = {tag, events::tags::kGradientNorm},
        .from = *from,
        .to = run.step,
        .isBreakdown = true};
    finding.problem = "The gradients of part " + finding.subject + " explode: their norm is " +
                      base::shortNumber(*now, 3) + " in " + stepRange(last + 1, run.step) +
                      " (median), " + base::shortNumber(*now / *before, 2) + " times that of the " +
                      std::to_string(kStepsBefore) + " before.";
    const auto usual = run.curves.of(events::tags::kGradientNorm).median(*from, last);
    if (usual) {
      finding.key = "solver.clip_grad_norm";
      finding.value = base::shortNumber(2 * *usual, 2);
      finding.remedy = "Restart from a checkpoint before them and set solver.clip_grad_norm to " +
                       finding.value + ", twice their usual norm.";
    }
    return finding;
  }
  return std::nullopt;
}

}  // namespace lockstep::alerts
