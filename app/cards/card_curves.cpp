#include "app/cards/card_curves.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "app/cards/card_facts.h"
#include "app/cards/group_curve.h"
#include "app/cards/metric_curve.h"
#include "app/cards/stack_curve.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

widgets::Curve curveOf(const ShownRun& shown, const CardCurve& plan, widgets::XAxis axis) {
  widgets::Curve curve;
  curve.name = plan.name;
  curve.run = shown.name;
  curve.styleIndex = shown.styleIndex;
  curve.kind = plan.evaluation ? widgets::Curve::Kind::Evaluation : widgets::Curve::Kind::Line;
  curve.stroke = plan.stroke;
  curve.source =
      std::make_shared<MetricCurve>(shown.run, plan.tag, axis, plan.smooth && !plan.evaluation);
  return curve;
}

/// The mean of the group's runs, or the curve of its only one.
widgets::Curve curveOf(const RunGroup& group, const CardCurve& plan, widgets::XAxis axis) {
  widgets::Curve curve = curveOf(group.runs.front(), plan, axis);
  curve.styleIndex = group.styleIndex;
  if (group.runs.size() == 1) return curve;
  curve.run = group.name;
  std::vector<QPointer<RunController>> runs;
  for (const ShownRun& shown : group.runs) runs.push_back(shown.run);
  curve.source = std::make_shared<GroupCurve>(std::move(runs), plan.tag, axis,
                                              plan.smooth && !plan.evaluation);
  return curve;
}

std::vector<widgets::Curve> curvesOfGroups(const CardPlan& plan,
                                           const std::vector<RunGroup>& groups,
                                           const CardScope& scope, widgets::XAxis axis) {
  std::vector<widgets::Curve> curves;
  for (const RunGroup& group : groups) {
    for (const CardCurve& own : plan.curves) {
      if (own.isOfMasks && !scope.hasMasks) continue;
      curves.push_back(curveOf(group, own, axis));
      // A gap for each of several runs would hide the lines, so only the current run has one. The
      // mean of several has its band instead.
      const bool leads = curves.size() <= plan.curves.size() && group.runs.size() == 1;
      curves.back().markLowest = own.markLowest;
      curves.back().valueName = own.valueName;
      curves.back().gapTo = own.gapToPrevious && leads ? static_cast<int>(curves.size()) - 2 : -1;
      // With several runs the colour identifies the run, and only the dots mark a held-out curve.
      curves.back().hasOwnHue = own.gapToPrevious && groups.size() == 1;
    }
  }
  return curves;
}

/// The parts that the run has, the finer ones where it has them.
std::vector<CardCurve> stackOf(const CardPlan& plan, const CardScope& scope) {
  std::vector<CardCurve> stack =
      scope.hasStepParts && !plan.fineStack.empty() ? plan.fineStack : plan.stack;
  if (scope.ranks > 1) return stack;
  for (const CardCurve& part : std::vector(stack)) {
    if (!part.needsRanks) continue;
    for (CardCurve& other : stack) std::erase(other.less, part.tag);
  }
  std::erase_if(stack, &CardCurve::needsRanks);
  return stack;
}

/// The lowest part has the style of the run, and each its own.
std::vector<widgets::Curve> curvesOfStack(const std::vector<CardCurve>& plan, const ShownRun& run,
                                          widgets::XAxis axis) {
  std::vector<StackPart> parts;
  for (const CardCurve& part : plan) parts.push_back({part.tag, part.less});
  const auto stack = std::make_shared<StackSeries>(std::move(parts));
  std::vector<widgets::Curve> curves;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    curves.push_back(curveOf(run, plan[i], axis));
    curves.back().styleIndex += static_cast<int>(i);
    curves.back().source = std::make_shared<StackCurve>(run.run, stack, i, axis);
  }
  return curves;
}

std::vector<widgets::Curve> curvesOfRanks(const CardPlan& plan, const ShownRun& run,
                                          const CardScope& scope, widgets::XAxis axis) {
  std::vector<int> ranks(static_cast<std::size_t>(std::min(scope.ranks, kMaxRankCurves)));
  std::iota(ranks.begin(), ranks.end(), 0);
  // It is drawn on top and is first in the legend.
  if (const auto late = scope.slowRank) {
    const auto place = ranks.begin() + std::min(*late, kMaxRankCurves - 1);
    *place = *late;
    std::rotate(ranks.begin(), place, place + 1);
  }
  std::vector<widgets::Curve> curves;
  for (const int rank : ranks) {
    CardCurve own = plan.curves.front();
    own.tag = events::tags::numbered(own.tag, rank);
    own.name += QStringLiteral(" %1").arg(rank);
    curves.push_back(curveOf(run, own, axis));
    curves.back().styleIndex = rank;
  }
  return curves;
}

/// The first has the style of the run, and each its own.
std::vector<widgets::Curve> curvesOfDevices(const CardPlan& plan, const ShownRun& run,
                                            const std::vector<int>& gpus, widgets::XAxis axis) {
  std::vector<widgets::Curve> curves;
  const auto add = [&](const CardCurve& curve) {
    curves.push_back(curveOf(run, curve, axis));
    curves.back().styleIndex += static_cast<int>(curves.size()) - 1;
  };
  for (CardCurve curve : plan.curves) {
    if (!events::tags::isNumbered(curve.tag)) {
      add(curve);
      continue;
    }
    const CardCurve pattern = curve;
    for (const int gpu : gpus) {
      curve.tag = events::tags::numbered(pattern.tag, gpu);
      curve.name = pattern.name + QStringLiteral(" %1").arg(gpu);
      add(curve);
    }
  }
  return curves;
}

}  // namespace

std::vector<widgets::Curve> curvesOfCard(const CardPlan& plan, const std::vector<RunGroup>& groups,
                                         const CardScope& scope, widgets::XAxis axis) {
  const bool isOneRun = groups.size() == 1 && groups.front().runs.size() == 1;
  if (!plan.stack.empty() && isOneRun)
    return curvesOfStack(stackOf(plan, scope), groups.front().runs.front(), axis);
  if (!plan.perRank && !plan.perGpu) return curvesOfGroups(plan, groups, scope, axis);
  if (!scope.isOneRun || groups.empty()) return {};
  const ShownRun& only = groups.front().runs.front();
  if (plan.perGpu) return curvesOfDevices(plan, only, scope.gpus, axis);
  return scope.ranks > 1 ? curvesOfRanks(plan, only, scope, axis) : std::vector<widgets::Curve>();
}

}  // namespace lockstep::app
