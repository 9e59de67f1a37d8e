#include "app/models/evaluation_plan.h"

#include <QCoreApplication>

#include "engine/run_folder/run_experiment.h"

namespace lockstep::app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("MonitorPage", text); }

}  // namespace

EvaluationPlan readEvaluationPlan(const run_folder::Layout& layout) {
  const config::Experiment experiment = run_folder::readRunExperiment(layout);
  return {experiment.dataset.hasHeldOut(), experiment.evaluation.apEvery.count > 0};
}

QString noApText(const EvaluationPlan& plan, bool hasEnded) {
  if (!plan.hasHeldOut) return tr("No AP: dataset.val is not set");
  if (!plan.hasAp) return tr("No AP: evaluation.ap_every is 0");
  return hasEnded ? tr("No AP: the run ended before the first AP evaluation")
                  : tr("No AP yet: see evaluation.ap_every");
}

}  // namespace lockstep::app
