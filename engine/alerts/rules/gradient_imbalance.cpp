#include "engine/alerts/rule.h"
#include "engine/base/number_text.h"
#include "engine/events/tags.h"

namespace lockstep::alerts {
namespace {

constexpr std::int64_t kImbalanceSteps = 50;
/// Healthy trainings have 0.1 to 0.5, with ten times the loss weight 1.2 and more.
constexpr double kMostNormRatio = 2, kMostNormRatioOfRaisedWeight = 1;
constexpr const char* kMaskWeight = "solver.loss_weights.loss_mask";

double maskLossWeight(const RunSoFar& run) {
  return run.experiment
             ? run.experiment->solver.lossWeights.values[config::indexOf(config::Loss::Mask)]
             : 1;
}

/// What lowers the share of the mask head's gradients.
void setImbalanceRemedy(Finding& finding, double weight) {
  if (weight > 1) {
    finding.remedy = "The weight of its loss is " + base::shortNumber(weight, 3) + ": set " +
                     kMaskWeight + " to 1.";
    finding.key = kMaskWeight;
    finding.value = "1";
  } else {
    finding.remedy =
        "Raise the box head's share: set model.box_head.regression_weights to [20, 20, 10, 10].";
    finding.key = "model.box_head.regression_weights";
    finding.value = "[20, 20, 10, 10]";
  }
}

}  // namespace

/// The mask head's gradients dwarf the box head's, so that the shared layers learn for masks alone.
/// Source: AWS's Mask R-CNN on SageMaker, which saw it in Debugger's gradient norms and mended it
/// with other regression weights.
std::optional<Finding> gradientImbalance(const RunSoFar& run) {
  const auto from = run.startOfLast(kImbalanceSteps);
  if (!from) return std::nullopt;
  const std::string maskTag = std::string(events::tags::kPartGradientNorms) + "mask_head";
  const std::string boxTag = std::string(events::tags::kPartGradientNorms) + "box_head";
  const auto mask = run.curves.of(maskTag).median(*from, run.step);
  const auto box = run.curves.of(boxTag).median(*from, run.step);
  const double weight = maskLossWeight(run);
  const double most = weight > 1 ? kMostNormRatioOfRaisedWeight : kMostNormRatio;
  if (!mask || !box || *mask <= most * *box) return std::nullopt;
  Finding finding{.kind = protocol::AlertKind::GradientImbalance,
                  .problem = "The mask head's gradients are " + base::shortNumber(*mask / *box, 2) +
                             " times the box head's: median norm " + base::shortNumber(*mask, 3) +
                             " against " + base::shortNumber(*box, 3) + " in " +
                             stepRange(*from, run.step) + ".",
                  .tags = {maskTag, boxTag},
                  .from = *from,
                  .to = run.step};
  setImbalanceRemedy(finding, weight);
  return finding;
}

}  // namespace lockstep::alerts
