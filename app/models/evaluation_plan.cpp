#include "app/models/evaluation_plan.h"

#include <QCoreApplication>

#include "engine/coco/evaluation/past_limit.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::app {
namespace {

struct PlanText {
  Q_DECLARE_TR_FUNCTIONS(MonitorPage)
};

QString imagesText(const EvaluationPlan& plan) {
  return plan.maxImages == 0 ? PlanText::tr("all held-out images")
                             : PlanText::tr("the first %1 held-out images (evaluation.max_images)")
                                   .arg(plan.maxImages);
}

}  // namespace

EvaluationPlan readEvaluationPlan(const run_folder::Layout& layout) {
  const config::Experiment experiment = run_folder::readRunExperiment(layout);
  return {experiment.dataset.hasHeldOut(), experiment.evaluation.apEvery.count > 0,
          experiment.evaluation.maxImages, config::apParams(experiment.evaluation).mostDetections(),
          experiment.model.masks,          experiment.solver.batchSize};
}

QString apScopeText(const EvaluationPlan& plan, qint64 step) {
  QString text =
      (plan.hasMasks ? PlanText::tr("AP of masks (mean over IoU 0.50 to 0.95) at step %1,\nof %2.")
                     : PlanText::tr("AP of boxes (mean over IoU 0.50 to 0.95) at step %1,\nof %2."))
          .arg(step)
          .arg(imagesText(plan));
  if (plan.mostDetections > 0)
    text += QLatin1Char('\n') + QString::fromStdString(coco::apLimitText(plan.mostDetections)) +
            QLatin1Char('.');
  return text;
}

QString heldOutLossScopeText(const EvaluationPlan& plan, qint64 step) {
  return PlanText::tr("Held-out loss (loss_total, the weighted sum) at step %1,\nmean over %2.")
      .arg(step)
      .arg(imagesText(plan));
}

QString noApText(const EvaluationPlan& plan, bool hasEnded) {
  if (!plan.hasHeldOut) return PlanText::tr("No AP: dataset.val is not set");
  if (!plan.hasAp) return PlanText::tr("No AP: evaluation.ap_every is 0");
  return hasEnded ? PlanText::tr("No AP: the run ended before the first AP evaluation")
                  : PlanText::tr("No AP yet: see evaluation.ap_every");
}

}  // namespace lockstep::app
