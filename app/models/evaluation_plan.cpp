#include "app/models/evaluation_plan.h"

#include <QCoreApplication>

#include "engine/coco/evaluation/past_limit.h"
#include "engine/config/evaluation_metrics.h"
#include "engine/run_folder/run_experiment.h"

namespace lockstep::app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("MonitorPage", text); }

QString imagesText(const EvaluationPlan& plan) {
  return plan.maxImages == 0
             ? tr("all held-out images")
             : tr("the first %1 held-out images (evaluation.max_images)").arg(plan.maxImages);
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
      (plan.hasMasks ? tr("AP of masks (mean over IoU 0.50 to 0.95) at step %1,\nof %2.")
                     : tr("AP of boxes (mean over IoU 0.50 to 0.95) at step %1,\nof %2."))
          .arg(step)
          .arg(imagesText(plan));
  if (plan.mostDetections > 0)
    text += QLatin1Char('\n') + QString::fromStdString(coco::apLimitText(plan.mostDetections)) +
            QLatin1Char('.');
  return text;
}

QString heldOutLossScopeText(const EvaluationPlan& plan, qint64 step) {
  return tr("Held-out loss (loss_total, the weighted sum) at step %1,\nmean over %2.")
      .arg(step)
      .arg(imagesText(plan));
}

QString noApText(const EvaluationPlan& plan, bool hasEnded) {
  if (!plan.hasHeldOut) return tr("No AP: dataset.val is not set");
  if (!plan.hasAp) return tr("No AP: evaluation.ap_every is 0");
  return hasEnded ? tr("No AP: the run ended before the first AP evaluation")
                  : tr("No AP yet: see evaluation.ap_every");
}

}  // namespace lockstep::app
