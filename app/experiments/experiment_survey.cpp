#include "app/experiments/experiment_survey.h"

#include <QCoreApplication>
#include <algorithm>
#include <optional>

#include "app/experiments/experiment_cost.h"
#include "engine/base/number_text.h"
#include "engine/config/fields.h"
#include "widgets/curves/number_text.h"

namespace lockstep::app {
namespace {

using FactRows = QList<std::pair<QString, QString>>;

struct SurveyText {
  Q_DECLARE_TR_FUNCTIONS(ExperimentSurvey)
};

QString percent(double share) { return QString::fromStdString(base::percent(share)); }

/// 0: its epochs are not known.
std::int64_t stepsOf(const config::SolverConfig& solver, std::int64_t drawsPerEpoch) {
  const config::Duration& length = solver.maxSteps;
  if (length.unit != config::Duration::Unit::Steps && drawsPerEpoch <= 0) return 0;
  return length.steps(std::max<std::int64_t>(drawsPerEpoch, 1), std::max(1, solver.batchSize));
}

QString trainingTimeText(const std::optional<MeasuredRun>& run, std::int64_t steps) {
  if (!run)
    return SurveyText::tr(
        "not measured yet: no run here has this model, batch, image size and device");
  const QString seconds = QString::number(run->stepSeconds, 'g', 3);
  if (steps <= 0) return SurveyText::tr("%1 s per step, measured in %2").arg(seconds, run->name);
  return SurveyText::tr("%1 without evaluations: %2 s per step, measured in %3")
      .arg(widgets::durationText(static_cast<double>(steps) * run->stepSeconds), seconds,
           run->name);
}

void addObjects(const config::ModelConfig& model, const ObjectSurvey& survey, FactRows& facts) {
  if (survey.objects == 0) return;
  const int detections = model.boxHead.detectionsPerImage, proposals = model.rpn.postNmsTopNTest;
  const auto most = static_cast<int>(survey.mostInImage);
  QString crowded =
      SurveyText::tr("%n object(s) in %1; limits: detections %2, proposals %3", "", most)
          .arg(survey.mostCrowded)
          .arg(detections)
          .arg(proposals);
  if (most > detections) crowded += SurveyText::tr(": raise model.box_head.detections_per_image");
  if (most > proposals) crowded += SurveyText::tr(": raise model.rpn.post_nms_top_n_test");
  facts.append({SurveyText::tr("most crowded"), crowded});
  const auto objects = static_cast<int>(survey.objects);
  facts.append(
      {SurveyText::tr("anchors"),
       survey.uncovered > 0
           ? SurveyText::tr(
                 "%1 of %Ln object(s) have no anchor with IoU ≥ 0.5, %2 none with IoU ≥ %3", "",
                 objects)
                 .arg(percent(survey.uncovered), percent(survey.distant))
                 .arg(model.rpn.bgIou)
           : SurveyText::tr("all %Ln object(s) have an anchor with IoU ≥ 0.5", "", objects)});
}

}  // namespace

QString surveyKey(const config::Experiment& experiment) {
  return QString::fromStdString(costKey(experiment) + experiment.dataset.train.annotations + "\n" +
                                config::findField("solver.max_steps")->text(experiment) + "\n" +
                                config::findField("runtime.devices")->text(experiment));
}

ExperimentSurvey surveyExperiment(const config::Experiment& experiment,
                                  const SurveySources& sources) {
  ExperimentSurvey survey{{}, surveyObjects(experiment, sources.objects)};
  FactRows& facts = survey.facts;
  if (sources.drawsPerEpoch > 0) {
    const double perEpoch =
        static_cast<double>(sources.drawsPerEpoch) / std::max(1, experiment.solver.batchSize);
    facts.append({SurveyText::tr("steps per epoch"), QString::number(perEpoch, 'g', 6)});
  }
  const auto run = measuredRun(experiment, sources.runs);
  facts.append({SurveyText::tr("time"),
                trainingTimeText(run, stepsOf(experiment.solver, sources.drawsPerEpoch))});
  const auto shapes = survey.objects ? survey.objects->shapes : std::vector<coco::Image>();
  const MemoryText memory = memoryText(experiment, shapes, sources.memory, run);
  if (!memory.need.isEmpty()) facts.append({SurveyText::tr("memory"), memory.need});
  if (!memory.largestBatch.isEmpty())
    facts.append({SurveyText::tr("largest batch"), memory.largestBatch});
  // The widget shows the boxes' sizes after these.
  if (survey.objects) addObjects(experiment.model, *survey.objects, facts);
  return survey;
}

}  // namespace lockstep::app
