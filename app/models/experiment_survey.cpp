#include "app/models/experiment_survey.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>

#include "engine/base/host.h"
#include "engine/base/number_text.h"
#include "engine/coco/files/dataset.h"
#include "engine/config/anchor_fit.h"
#include "engine/config/fields.h"
#include "engine/config/load.h"
#include "engine/events/last_values.h"
#include "engine/events/reader.h"
#include "engine/events/tags.h"
#include "engine/run_folder/run_folder.h"
#include "widgets/curves/number_text.h"

namespace lockstep::app {
namespace {

namespace fs = std::filesystem;
namespace tags = events::tags;

constexpr std::int64_t kTailBytes = 256 << 10;
/// Runs that are looked at for one of the same model.
constexpr qsizetype kMostRuns = 50;

QString tr(const char* text) { return QCoreApplication::translate("ExperimentSurvey", text); }

/// Whether time and memory of a step depend on the key.
bool decidesCost(const std::string& key) {
  constexpr std::array<std::string_view, 10> kKeys{
      "solver.batch_size", "solver.accumulate",  "solver.optimizer", "augment.min_size",
      "augment.max_size",  "augment.pad_to",     "runtime.device",   "runtime.workers",
      "runtime.precision", "runtime.cuda_graphs"};
  const bool isOfModel = key.starts_with("model.") && key != "model.weights";
  return isOfModel || std::ranges::find(kKeys, key) != kKeys.end();
}

std::string costKey(const config::Experiment& experiment) {
  std::string all;
  for (const config::Field& field : config::fields())
    if (decidesCost(field.key)) all += field.text(experiment) + "\n";
  return all;
}

struct MeasuredRun {
  QString name;
  std::optional<double> stepSeconds, memoryGib;
};

/// The memory of the fullest GPU or, without one, of the ranks' processes.
std::optional<double> memoryOf(const events::LastValues& values) {
  std::optional<double> fullest;
  for (const auto& [tag, last] : values)
    if (tag.starts_with("system/gpu") && tag.ends_with("/memory_gib"))
      fullest = std::max<double>(fullest.value_or(0), last.value);
  if (fullest) return fullest;
  const auto host = values.find(tags::kHostMemoryGib);
  return host == values.end() ? std::nullopt : std::optional<double>(host->second.value);
}

std::optional<MeasuredRun> measurementOf(const fs::path& folder, const std::string& cost) {
  try {
    const run_folder::Layout layout(folder);
    const run_folder::RunInfo info = run_folder::readRunInfo(layout);
    if (info.isRangeTest || info.host != base::hostName()) return std::nullopt;
    const auto loaded = config::loadExperiment(layout.config());
    if (!loaded.isComplete || costKey(loaded.experiment) != cost) return std::nullopt;
    const auto values = events::readLastValues(events::findEventFile(folder), kTailBytes);
    MeasuredRun run{QString::fromStdString(folder.filename().string()), {}, memoryOf(values)};
    const auto seconds = values.find(tags::kStepSeconds);
    if (seconds == values.end()) return std::nullopt;
    run.stepSeconds = seconds->second.value;
    return run;
  } catch (const std::exception&) {
    return std::nullopt;  // a run that cannot be read is no measurement
  }
}

void addCost(const config::Experiment& experiment, std::int64_t steps, const QStringList& runs,
             SurveyFacts& facts) {
  const std::string cost = costKey(experiment);
  for (const QString& folder : runs.mid(0, kMostRuns)) {
    const auto run = measurementOf(folder.toStdString(), cost);
    if (!run) continue;
    const QString seconds = QString::number(*run->stepSeconds, 'g', 3);
    facts.append(
        {tr("time"),
         steps > 0 ? tr("%1 without evaluations: %2 s per step, measured in %3")
                         .arg(widgets::durationText(static_cast<double>(steps) * *run->stepSeconds),
                              seconds, run->name)
                   : tr("%1 s per step, measured in %2").arg(seconds, run->name)});
    if (run->memoryGib)
      facts.append(
          {tr("memory"),
           tr("%1 GiB, measured in %2").arg(QString::number(*run->memoryGib, 'g', 3), run->name)});
    return;
  }
  facts.append({tr("time and memory"),
                tr("not measured yet: no run here has this model, batch, image size and device")});
}

void addObjects(const config::Experiment& experiment, SurveyFacts& facts) {
  const auto dataset = coco::Dataset::load(experiment.dataset.train.annotations);
  std::vector<config::AnnotatedBox> objects;
  std::size_t most = 0, mostIn = 0;
  for (std::size_t i = 0; i < dataset.images().size(); ++i) {
    const coco::Image& image = dataset.images()[i];
    const std::size_t before = objects.size();
    for (const coco::Annotation& annotation : dataset.annotationsOf(i))
      if (annotation.isUsable())
        objects.push_back({{image.height, image.width}, annotation.boxXywh, annotation.area});
    if (objects.size() - before <= most) continue;
    most = objects.size() - before;
    mostIn = i;
  }
  if (objects.empty()) return;
  const config::AnchorFit fit =
      config::fitAnchors(objects, experiment.augment, experiment.model.anchors);
  const double missed = fit.all().share();
  facts.append({tr("anchors"),
                missed > 0
                    ? tr("none has an IoU of 0.5 with %1 of the %2 objects")
                          .arg(QString::fromStdString(base::percent(missed)))
                          .arg(objects.size())
                    : tr("one has an IoU of 0.5 with each of the %1 objects").arg(objects.size())});
  const int limit = experiment.model.boxHead.detectionsPerImage;
  const QString crowded = tr("%1 objects in %2, of at most %3 detections")
                              .arg(most)
                              .arg(QString::fromStdString(dataset.images()[mostIn].fileName))
                              .arg(limit);
  const bool isOver = most > static_cast<std::size_t>(limit);
  facts.append({tr("most crowded"),
                isOver ? crowded + tr(": raise model.box_head.detections_per_image") : crowded});
}

}  // namespace

QString surveyKey(const config::Experiment& experiment) {
  return QString::fromStdString(costKey(experiment) + experiment.dataset.train.annotations + "\n" +
                                config::findField("solver.max_steps")->text(experiment));
}

SurveyFacts surveyExperiment(const config::Experiment& experiment, std::int64_t drawsPerEpoch,
                             const QStringList& runs) {
  SurveyFacts facts;
  std::int64_t steps = 0;
  const config::Duration& length = experiment.solver.maxSteps;
  const int batch = std::max(1, experiment.solver.batchSize);
  if (length.unit == config::Duration::Unit::Steps || drawsPerEpoch > 0)
    steps = length.steps(std::max<std::int64_t>(drawsPerEpoch, 1), batch);
  if (drawsPerEpoch > 0) {
    const double perEpoch = static_cast<double>(drawsPerEpoch) / batch;
    facts.append({tr("steps per epoch"), QString::number(perEpoch, 'g', 6)});
  }
  addCost(experiment, steps, runs, facts);
  try {
    if (!experiment.dataset.train.annotations.empty()) addObjects(experiment, facts);
  } catch (const std::exception&) {
    // The check of the experiment says what is wrong with its data.
  }
  return facts;
}

}  // namespace lockstep::app
