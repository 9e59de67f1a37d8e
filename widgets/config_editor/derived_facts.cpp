#include "widgets/config_editor/derived_facts.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>

#include "engine/config/load.h"

namespace lockstep::widgets {
namespace {

using config::Duration;
using config::Experiment;

QString grouped(std::int64_t number) {
  return QLocale(QLocale::English)
      .toString(static_cast<qlonglong>(number))
      .replace(QLatin1Char(','), QChar(0x2009));
}

QString figure(double value) { return QString::number(value, 'g', 4); }

bool usesEpochs(const Experiment& experiment) {
  std::vector<Duration> durations{experiment.solver.maxSteps,         experiment.solver.warmupSteps,
                                  experiment.evaluation.lossEvery,    experiment.evaluation.apEvery,
                                  experiment.checkpoint.every,        experiment.monitor.logEvery,
                                  experiment.monitor.predictionsEvery};
  durations.insert(durations.end(), experiment.solver.milestones.begin(),
                   experiment.solver.milestones.end());
  return std::any_of(durations.begin(), durations.end(),
                     [](const Duration& d) { return d.unit == Duration::Unit::Epochs; });
}

std::int64_t wholeSteps(const Duration& duration) {
  return static_cast<std::int64_t>(duration.count);
}

/// "90 000 steps", with the epochs where the images are known.
QString lengthText(const StepPlan& plan, const ImageCounts& images) {
  const auto batch = static_cast<double>(std::max(1, plan.experiment.solver.batchSize));
  if (!plan.isExact) {
    const double epochs =
        static_cast<double>(plan.maxSteps()) / static_cast<double>(StepPlan::kNominalEpoch);
    return figure(epochs) % QStringLiteral(" epochs");
  }
  const QString steps = grouped(plan.maxSteps()) % QStringLiteral(" steps");
  if (images.train <= 0) return steps;
  const double epochs =
      static_cast<double>(plan.maxSteps()) * batch / static_cast<double>(images.train);
  return steps % QStringLiteral(" = ") % figure(epochs) % QStringLiteral(" epochs of ") %
         grouped(images.train) % QStringLiteral(" images");
}

QString batchText(const config::SolverConfig& solver) {
  const QString images = QString::number(solver.batchSize);
  if (solver.accumulate <= 1) return images;
  return images % QStringLiteral(", in ") % QString::number(solver.accumulate) %
         QStringLiteral(" parts of ") %
         figure(static_cast<double>(solver.batchSize) / solver.accumulate);
}

/// "4 (every 100)"
QString timesText(const Duration& every, std::int64_t maxSteps) {
  const QString times = grouped(timesDone(wholeSteps(every), maxSteps));
  if (every.count <= 0) return times % QStringLiteral(" (last step)");
  return times % QStringLiteral(" (every ") % grouped(wholeSteps(every)) % QLatin1Char(')');
}

QString evaluationText(const StepPlan& plan) {
  const config::EvaluationConfig& evaluation = plan.experiment.evaluation;
  return QStringLiteral("loss ") % timesText(evaluation.lossEvery, plan.maxSteps()) %
         QStringLiteral(", AP ") % timesText(evaluation.apEvery, plan.maxSteps());
}

QString heldOutText(const config::EvaluationConfig& evaluation, const ImageCounts& images) {
  const std::int64_t limit = evaluation.maxImages;
  if (images.val <= 0)
    return limit > 0 ? QStringLiteral("the first ") % grouped(limit) : QStringLiteral("all");
  if (limit <= 0 || limit >= images.val) return QStringLiteral("all ") % grouped(images.val);
  return QStringLiteral("the first ") % grouped(limit) % QStringLiteral(" of ") %
         grouped(images.val);
}

QString checkpointText(const StepPlan& plan) {
  const config::CheckpointConfig& checkpoint = plan.experiment.checkpoint;
  return timesText(checkpoint.every, plan.maxSteps()) % QStringLiteral(", keeps ") %
         QString::number(checkpoint.keep) %
         (checkpoint.keepBest ? QStringLiteral(" + best") : QString());
}

QString rateText(const config::SolverConfig& solver) {
  QString text = solver.schedule.empty() ? QString() : QString::fromStdString(solver.schedule);
  text += QStringLiteral(" from ") % figure(solver.baseLr);
  if (solver.warmupSteps.count > 0) {
    text += QStringLiteral(", warm-up ") % grouped(wholeSteps(solver.warmupSteps));
  }
  return text;
}

QString sizeText(const config::AugmentConfig& augment) {
  QStringList sides;
  for (int side : augment.minSize) sides << QString::number(side);
  return sides.join(QStringLiteral(", ")) % QStringLiteral(" px short, up to ") %
         QString::number(augment.maxSize) % QStringLiteral(" px long");
}

QString backboneText(const config::ModelConfig& model) {
  return QString::fromStdString(model.backbone) % QStringLiteral(", ") %
         QString::fromStdString(model.resolvedNorm()) % QStringLiteral(" norm, ") %
         QString::number(model.resolvedFreezeStages()) % QStringLiteral(" frozen");
}

QString anchorText(const config::AnchorConfig& anchors) {
  if (anchors.sizes.empty()) return QStringLiteral("none");
  const auto [least, most] = std::minmax_element(anchors.sizes.begin(), anchors.sizes.end());
  return figure(*least) % QStringLiteral(" … ") % figure(*most) % QStringLiteral(" px, ") %
         QString::number(anchors.aspectRatios.size()) % QStringLiteral(" aspect ratios");
}

void addRateWarnings(const config::SolverConfig& solver, std::int64_t maxSteps,
                     DerivedFacts& derived) {
  if (wholeSteps(solver.warmupSteps) > maxSteps) {
    derived.warnings.push_back(
        QStringLiteral("The warm-up of %1 steps outlasts the training of %2: the learning rate "
                       "never reaches %3.")
            .arg(grouped(wholeSteps(solver.warmupSteps)), grouped(maxSteps),
                 figure(solver.baseLr)));
  }
  const bool falls = std::any_of(solver.milestones.begin(), solver.milestones.end(),
                                 [&](const Duration& m) { return wholeSteps(m) < maxSteps; });
  if (solver.schedule == "step" && !solver.milestones.empty() && !falls) {
    derived.warnings.push_back(
        QStringLiteral("The learning rate never falls: the first milestone, step %1, lies after "
                       "the last step, %2.")
            .arg(grouped(wholeSteps(solver.milestones.front())), grouped(maxSteps)));
  }
}

void addIntervalWarnings(const StepPlan& plan, DerivedFacts& derived) {
  const std::int64_t maxSteps = plan.maxSteps();
  const Experiment& experiment = plan.experiment;
  if (wholeSteps(experiment.evaluation.lossEvery) > maxSteps) {
    derived.warnings.push_back(
        QStringLiteral(
            "Held-out loss is measured only at the last step: evaluation.loss_every is %1.")
            .arg(grouped(wholeSteps(experiment.evaluation.lossEvery))));
  }
  if (wholeSteps(experiment.monitor.logEvery) > maxSteps) {
    derived.warnings.push_back(
        QStringLiteral("Nothing is sent before the end: monitor.log_every is %1.")
            .arg(grouped(wholeSteps(experiment.monitor.logEvery))));
  }
}

}  // namespace

StepPlan planSteps(const Experiment& experiment, const ImageCounts& images) {
  StepPlan plan{experiment, images.train > 0 || !usesEpochs(experiment)};
  const std::int64_t nominal = StepPlan::kNominalEpoch * std::max(1, experiment.solver.batchSize);
  config::resolveDurations(plan.experiment, images.train > 0 ? images.train : nominal);
  return plan;
}

std::int64_t timesDone(std::int64_t every, std::int64_t maxSteps) {
  if (every <= 0) return 1;
  return maxSteps / every + (maxSteps % every == 0 ? 0 : 1);
}

DerivedFacts deriveFacts(const Experiment& experiment, const ImageCounts& images) {
  const StepPlan plan = planSteps(experiment, images);
  DerivedFacts derived;
  derived.facts = {{QStringLiteral("length"), lengthText(plan, images)},
                   {QStringLiteral("images a step"), batchText(experiment.solver)},
                   {QStringLiteral("learning rate"), rateText(plan.experiment.solver)},
                   {QStringLiteral("evaluations"), evaluationText(plan)},
                   {QStringLiteral("held-out images"), heldOutText(experiment.evaluation, images)},
                   {QStringLiteral("checkpoints"), checkpointText(plan)},
                   {QStringLiteral("image size"), sizeText(experiment.augment)},
                   {QStringLiteral("backbone"), backboneText(experiment.model)},
                   {QStringLiteral("anchors"), anchorText(experiment.model.anchors)}};
  addRateWarnings(plan.experiment.solver, plan.maxSteps(), derived);
  addIntervalWarnings(plan, derived);
  return derived;
}

}  // namespace lockstep::widgets
