#include "widgets/experiment/derived_facts.h"

#include <QStringList>
#include <algorithm>

#include "engine/base/number_text.h"
#include "engine/config/due.h"
#include "engine/config/load.h"
#include "widgets/curves/number_text.h"

namespace lockstep::widgets {
namespace {

using config::Duration;
using config::Experiment;

QString numberText(double value) { return QString::number(value, 'g', 4); }

QString counted(const QString& number, const char* noun) {
  const bool isOne = number == QStringLiteral("1");
  return number % QLatin1Char(' ') % QString::fromStdString(base::plural(isOne ? 1 : 2, noun));
}

QString epochsText(double epochs) { return counted(numberText(epochs), "epoch"); }

QString stepsText(std::int64_t steps) { return counted(countText(steps), "step"); }

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

/// "90 000 steps", with the epochs if their number of images is known.
QString lengthText(const StepPlan& plan, const ImageCounts& images) {
  const auto batch = static_cast<double>(std::max(1, plan.experiment.solver.batchSize));
  if (!plan.isExact) {
    const double epochs =
        static_cast<double>(plan.maxSteps()) / static_cast<double>(StepPlan::kNominalEpoch);
    return epochsText(epochs);
  }
  const QString steps = stepsText(plan.maxSteps());
  if (images.drawsPerEpoch <= 0) return steps;
  const double epochs =
      static_cast<double>(plan.maxSteps()) * batch / static_cast<double>(images.drawsPerEpoch);
  const bool repeats = plan.experiment.dataset.repeatThreshold > 0;
  return steps % QStringLiteral(" = ") % epochsText(epochs) % QStringLiteral(" (") %
         counted(countText(images.drawsPerEpoch), repeats ? "draw" : "training image") %
         (repeats ? QStringLiteral(" each)") : QStringLiteral(")"));
}

QString batchText(const config::SolverConfig& solver) {
  const QString images = QString::number(solver.batchSize);
  if (solver.accumulate <= 1) return images;
  return images % QStringLiteral(", in ") % QString::number(solver.accumulate) %
         QStringLiteral(" micro-batches of ") %
         numberText(static_cast<double>(solver.batchSize) / solver.accumulate);
}

/// "every 100 steps (4 times)"
QString timesText(const QString& when, std::int64_t times) {
  const QString count =
      times == 1 ? QStringLiteral("once") : countText(times) % QStringLiteral(" times");
  return when % QStringLiteral(" (") % count % QLatin1Char(')');
}

/// `given`: as the file has it, which is shown where its number of steps is not known.
QString everyText(const StepPlan& plan, const Duration& given, const Duration& resolved) {
  if (given.count <= 0) return QStringLiteral("at the last step");
  if (!plan.isExact && given.unit == Duration::Unit::Epochs)
    return QStringLiteral("every ") % epochsText(given.count);
  return QStringLiteral("every ") % stepsText(resolved.steps());
}

/// The validation loss is also measured with every AP, so more often than loss_every alone.
/// `given`: with the durations as in the file.
QString evaluationText(const StepPlan& plan, const Experiment& given,
                       const config::TimesDue& times) {
  const Experiment& experiment = plan.experiment;
  if (!experiment.dataset.hasHeldOut()) return QStringLiteral("none: no validation set");
  const config::EvaluationConfig& evaluation = experiment.evaluation;
  config::Experiment lossesAlone = experiment;
  lossesAlone.evaluation.apEvery = {};
  QString whenLosses = everyText(plan, given.evaluation.lossEvery, evaluation.lossEvery);
  if (times.losses > config::timesDue(lossesAlone).losses)
    whenLosses += QStringLiteral(" and with AP");
  const QString losses = QStringLiteral("loss ") % timesText(whenLosses, times.losses);
  if (times.averagePrecision == 0) return losses % QStringLiteral(", no AP");
  return losses % QStringLiteral(", AP ") %
         timesText(everyText(plan, given.evaluation.apEvery, evaluation.apEvery),
                   times.averagePrecision);
}

QString heldOutText(const Experiment& experiment, const ImageCounts& images) {
  if (!experiment.dataset.hasHeldOut()) return QStringLiteral("none");
  const std::int64_t limit = experiment.evaluation.maxImages;
  if (images.val <= 0)
    return limit > 0 ? QStringLiteral("the first ") % countText(limit) : QStringLiteral("all");
  if (limit <= 0 || limit >= images.val) return QStringLiteral("all ") % countText(images.val);
  return QStringLiteral("the first ") % countText(limit) % QStringLiteral(" of ") %
         countText(images.val);
}

QString checkpointText(const StepPlan& plan, const Experiment& given,
                       const config::TimesDue& times) {
  const Experiment& experiment = plan.experiment;
  const config::CheckpointConfig& checkpoint = experiment.checkpoint;
  const std::int64_t compared =
      config::isLoss(experiment.evaluation.bestMetric) ? times.losses : times.averagePrecision;
  const bool keepsBest = checkpoint.keepBest && compared > 0;
  return timesText(everyText(plan, given.checkpoint.every, checkpoint.every), times.checkpoint) %
         QStringLiteral(", keeps the latest") %
         (checkpoint.keep > 1 ? QLatin1Char(' ') % QString::number(checkpoint.keep) : QString()) %
         (keepsBest ? QStringLiteral(" and the best") : QString());
}

/// `given`: as the file has it; its epochs stand where the plan knows no number of images.
QString rateText(const StepPlan& plan, const config::Duration& given) {
  const config::SolverConfig& solver = plan.experiment.solver;
  QString text = QString::fromLatin1(base::textOf(solver.schedule)) % QStringLiteral(" from ") %
                 numberText(solver.baseLr);
  if (given.count > 0) {
    const bool isInEpochs = !plan.isExact && given.unit == config::Duration::Unit::Epochs;
    text += QStringLiteral(", warm-up ") %
            (isInEpochs ? epochsText(given.count) : stepsText(solver.warmupSteps.steps()));
  }
  return text;
}

QString sizeText(const config::AugmentConfig& augment) {
  QStringList sides;
  for (int side : augment.minSize) sides << QString::number(side);
  return QStringLiteral("shorter side ") % sides.join(QStringLiteral(", ")) %
         QStringLiteral(" px, longer side up to ") % QString::number(augment.maxSize) %
         QStringLiteral(" px");
}

QString backboneText(const config::ModelConfig& model) {
  return QString::fromStdString(model.backbone) % QStringLiteral(", ") %
         QString::fromLatin1(base::textOf(model.resolvedNorm())) % QStringLiteral(" norm, ") %
         counted(QString::number(model.resolvedFreezeStages()), "stage") %
         QStringLiteral(" frozen");
}

QString anchorText(const config::AnchorConfig& anchors) {
  if (anchors.sizes.empty()) return QStringLiteral("none");
  const auto [min, max] = std::minmax_element(anchors.sizes.begin(), anchors.sizes.end());
  return numberText(*min) % QStringLiteral(" … ") % numberText(*max) % QStringLiteral(" px, ") %
         counted(QString::number(anchors.aspectRatios.size()), "aspect ratio");
}

void addRateWarnings(const config::SolverConfig& solver, std::int64_t maxSteps,
                     DerivedFacts& derived) {
  if (solver.warmupSteps.steps() > maxSteps) {
    derived.warnings.push_back(
        QStringLiteral("The warm-up of %1 is longer than the training of %2: the learning "
                       "rate never reaches %3.")
            .arg(stepsText(solver.warmupSteps.steps()), countText(maxSteps),
                 numberText(solver.baseLr)));
  }
  const bool decays = std::any_of(solver.milestones.begin(), solver.milestones.end(),
                                  [&](const Duration& m) { return m.steps() < maxSteps; });
  if (solver.schedule == config::Schedule::Step && !solver.milestones.empty() && !decays) {
    derived.warnings.push_back(
        QStringLiteral("The learning rate never decays: the first milestone, step %1, is after "
                       "the last step, %2.")
            .arg(countText(solver.milestones.front().steps()), countText(maxSteps)));
  }
}

void addIntervalWarnings(const Experiment& experiment, const config::TimesDue& times,
                         DerivedFacts& derived) {
  const Duration &lossEvery = experiment.evaluation.lossEvery,
                 &logEvery = experiment.monitor.logEvery;
  if (lossEvery.count > experiment.solver.maxSteps.count && times.losses == 1) {
    derived.warnings.push_back(
        QStringLiteral(
            "Validation loss is measured only at the last step: evaluation.loss_every is %1.")
            .arg(countText(lossEvery.steps())));
  }
  if (logEvery.count > experiment.solver.maxSteps.count && times.log == 1) {
    derived.warnings.push_back(
        QStringLiteral("Nothing is logged before the last step: monitor.log_every is %1.")
            .arg(countText(logEvery.steps())));
  }
}

}  // namespace

StepPlan planSteps(const Experiment& experiment, const ImageCounts& images) {
  StepPlan plan{experiment, images.drawsPerEpoch > 0 || !usesEpochs(experiment)};
  const std::int64_t nominal = StepPlan::kNominalEpoch * std::max(1, experiment.solver.batchSize);
  config::resolveDurations(plan.experiment,
                           images.drawsPerEpoch > 0 ? images.drawsPerEpoch : nominal);
  return plan;
}

DerivedFacts deriveFacts(const Experiment& experiment, const ImageCounts& images) {
  const StepPlan plan = planSteps(experiment, images);
  const config::TimesDue times = config::timesDue(plan.experiment);
  DerivedFacts derived;
  derived.facts = {{QStringLiteral("training length"), lengthText(plan, images)},
                   {QStringLiteral("batch size"), batchText(experiment.solver)},
                   {QStringLiteral("learning rate"), rateText(plan, experiment.solver.warmupSteps)},
                   {QStringLiteral("evaluations"), evaluationText(plan, experiment, times)},
                   {QStringLiteral("validation images"), heldOutText(experiment, images)},
                   {QStringLiteral("checkpoints"), checkpointText(plan, experiment, times)},
                   {QStringLiteral("image size"), sizeText(experiment.augment)},
                   {QStringLiteral("backbone"), backboneText(experiment.model)},
                   {QStringLiteral("anchor sizes"), anchorText(experiment.model.anchors)}};
  addRateWarnings(plan.experiment.solver, plan.maxSteps(), derived);
  addIntervalWarnings(plan.experiment, times, derived);
  return derived;
}

}  // namespace lockstep::widgets
