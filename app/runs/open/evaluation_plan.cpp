#include "app/runs/open/evaluation_plan.h"

#include <QCoreApplication>
#include <algorithm>

#include "engine/coco/evaluation/past_limit.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::app {
namespace {

struct PlanText {
  Q_DECLARE_TR_FUNCTIONS(MonitorPage)
};

QString imagesText(const EvaluationPlan& plan) {
  return plan.maxImages == 0
             ? PlanText::tr("all validation images")
             : PlanText::tr("the first %n validation image(s) (evaluation.max_images)", "",
                            plan.maxImages);
}

/// Interval in steps; std::nullopt: it is in epochs or images.
std::optional<std::int64_t> intervalSteps(const config::Duration& every) {
  if (every.count > 0 && every.unit != config::Duration::Unit::Steps) return std::nullopt;
  return static_cast<std::int64_t>(every.count);
}

/// AP is also evaluated at the last step, as config::dueAfter() says.
std::int64_t nextAp(std::int64_t every, const run_folder::RunInfo& info) {
  const std::int64_t step = std::max<std::int64_t>(info.step, 1);
  const std::int64_t next = (step + every - 1) / every * every;
  return info.maxSteps > 0 ? std::min(next, info.maxSteps) : next;
}

}  // namespace

EvaluationPlan readEvaluationPlan(const run_folder::Layout& layout) {
  const config::Experiment experiment = run_folder::readRunExperiment(layout);
  return {experiment.dataset.hasHeldOut(), intervalSteps(experiment.evaluation.apEvery),
          experiment.evaluation.maxImages, config::apParams(experiment.evaluation).mostDetections(),
          experiment.model.masks,          experiment.solver.batchSize};
}

QString apScopeText(const EvaluationPlan& plan, qint64 step) {
  QString text =
      (plan.hasMasks ? PlanText::tr("Mask AP (mean over IoU 0.50 to 0.95) at step %1,\non %2.")
                     : PlanText::tr("Box AP (mean over IoU 0.50 to 0.95) at step %1,\non %2."))
          .arg(step)
          .arg(imagesText(plan));
  if (plan.mostDetections > 0)
    text += QLatin1Char('\n') + QString::fromStdString(coco::apLimitText(plan.mostDetections)) +
            QLatin1Char('.');
  return text;
}

QString heldOutLossScopeText(const EvaluationPlan& plan, qint64 step) {
  return PlanText::tr("Validation loss (loss_total, the weighted sum) at step %1,\nmean over %2.")
      .arg(step)
      .arg(imagesText(plan));
}

QString noApText(const EvaluationPlan& plan, const run_folder::RunInfo& info) {
  if (!plan.hasHeldOut) return PlanText::tr("No AP: dataset.val is not set");
  if (plan.apEvery == 0) return PlanText::tr("No AP: evaluation.ap_every is 0");
  const auto& state = info.state.value();
  if (state && protocol::hasEnded(*state))
    return PlanText::tr("No AP: the run ended before the first AP evaluation");
  if (!plan.apEvery) return PlanText::tr("No AP yet");
  return PlanText::tr("First AP at step %1").arg(nextAp(*plan.apEvery, info));
}

}  // namespace lockstep::app
