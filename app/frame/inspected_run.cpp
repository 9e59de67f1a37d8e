#include "app/frame/inspected_run.h"

#include <algorithm>

#include "app/cards/card_facts.h"
#include "app/runs/list/run_columns.h"
#include "app/runs/open/run_controller.h"
#include "app/text/window_words.h"
#include "engine/events/tags.h"
#include "widgets/curves/number_text.h"

namespace lockstep::app {
namespace {

namespace tags = events::tags;

QString valueAt(double value, std::int64_t step) {
  return Inspected::tr("%1 at step %2").arg(widgets::valueText(value)).arg(step);
}

QString stepsText(const std::vector<std::int64_t>& steps) {
  QStringList texts;
  for (const std::int64_t step : steps) texts.append(QString::number(step));
  return texts.join(QStringLiteral(", "));
}

QString devicesText(const RunController& run, const RunRecord& record) {
  QStringList texts;
  if (!record.device.isEmpty()) texts.append(record.device);
  for (const int gpu : recordedGpus(run.history().metrics()))
    texts.append(Inspected::tr("GPU %1").arg(gpu));
  if (run.info().ranks > 1) texts.append(Inspected::tr("%n rank(s)", "", run.info().ranks));
  return texts.join(QStringLiteral(", "));
}

/// What the event log holds of its evaluations.
void addBest(Inspected& thing, const RunController& run) {
  const auto& best = run.info().best;
  if (best)
    thing.add(
        Inspected::tr("Best checkpoint"),
        Inspected::tr("step %1, by %2").arg(best->step).arg(QString::fromStdString(best->metric)));
  const MetricStore& metrics = run.history().metrics();
  const struct {
    const char* tag;
    QString lowest, last;
  } figures[] = {{tags::kEvalTotalLoss, Inspected::tr("Lowest validation loss"),
                  Inspected::tr("Last validation loss")},
                 {tags::kMaskAp, {}, Inspected::tr("Last mask AP")},
                 {tags::kBoxAp, {}, Inspected::tr("Last box AP")}};
  for (const auto& [tag, lowest, last] : figures) {
    const MetricSeries* series = metrics.series(tag);
    if (!series || series->size() == 0) continue;
    if (const auto at = series->lowest(); at && !lowest.isEmpty())
      thing.add(lowest, valueAt(series->value(*at), series->step(*at)));
    const std::size_t end = series->size() - 1;
    thing.add(last, valueAt(series->value(end), series->step(end)));
  }
}

void addRecord(Inspected& thing, const RunRecord& record) {
  thing.add(Inspected::tr("Precision"), record.precision);
  thing.add(Inspected::tr("Seed"), record.seed);
  thing.add(Inspected::tr("Batch size"), record.batchSize);
  thing.add(Inspected::tr("Experiment"), record.experiment);
  thing.add(Inspected::tr("Changed by --set"), record.overrides.join(QStringLiteral(" ")));
  thing.add(Inspected::tr("Lockstep"), record.version);
  thing.add(Inspected::tr("Not read"), record.fault);
}

/// The tags that a curve of a card draws of a run: one, or one for each rank or GPU.
std::vector<std::string> tagsOf(const CardCurve& curve, const MetricStore& metrics) {
  if (!tags::isNumbered(curve.tag)) return {curve.tag};
  std::vector<std::string> all;
  for (const int gpu : recordedGpus(metrics)) all.push_back(tags::numbered(curve.tag, gpu));
  for (int rank = 0; rank < recordedRankCount(metrics); ++rank)
    all.push_back(tags::numbered(curve.tag, rank));
  std::erase_if(all, [&](const std::string& tag) { return !metrics.series(tag); });
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

/// Of its lines and of the parts of its stack, each once.
std::vector<std::string> tagsOf(const CardPlan& card, const MetricStore& metrics) {
  std::vector<std::string> all;
  for (const std::vector<CardCurve>* curves : {&card.curves, &card.fineStack})
    for (const CardCurve& curve : *curves)
      for (const std::string& tag : tagsOf(curve, metrics))
        if (std::ranges::find(all, tag) == all.end()) all.push_back(tag);
  return all;
}

/// Each in the time of a look-up, however many points there are.
Inspected inspectedSeries(const QString& name, const MetricSeries& series) {
  const std::size_t end = series.size() - 1;
  Inspected curve{name, valueAt(series.value(end), series.step(end))};
  const ValueSpan span = series.span(0, series.size());
  if (span.hasFinite) {
    curve.add(Inspected::tr("Lowest"), widgets::valueText(span.min));
    curve.add(Inspected::tr("Highest"), widgets::valueText(span.max));
  }
  curve.add(Inspected::tr("Points"), QString::number(series.size()));
  curve.add(Inspected::tr("Steps"),
            Inspected::tr("%1 to %2").arg(series.step(0)).arg(series.step(end)));
  std::size_t notFinite = 0;
  for (const auto& [from, to] : series.nonFiniteRuns()) notFinite += to - from;
  if (notFinite > 0) curve.add(Inspected::tr("Not finite"), QString::number(notFinite));
  return curve;
}

}  // namespace

Inspected inspectedRun(const QModelIndex& listed, const RunController& run,
                       const RunRecord& record) {
  Inspected thing{Inspected::tr("Run"), {}};
  const std::vector<RunColumn>& columns = standardColumns();
  thing.value = columns.front().text(listed);
  for (std::size_t i = 1; i < columns.size(); ++i)
    thing.add(columns[i].title, columns[i].text(listed));
  const run_folder::RunInfo& info = run.info();
  if (const QString own = QString::fromStdString(info.name); !own.isEmpty() && own != thing.value)
    thing.add(Inspected::tr("Name in its experiment"), own);
  if (info.maxSteps > 0) thing.add(Inspected::tr("Total steps"), QString::number(info.maxSteps));
  if (info.attempt > 1) thing.add(Inspected::tr("Attempt"), QString::number(info.attempt));
  addBest(thing, run);
  thing.add(Inspected::tr("Checkpoints"), stepsText(run.checkpointSteps()));
  thing.add(Inspected::tr("Devices"), devicesText(run, record));
  addRecord(thing, record);
  thing.add(Inspected::tr("Host"), QString::fromStdString(info.host));
  if (run.isAlive() && info.pid > 0) thing.add(Inspected::tr("Process"), QString::number(info.pid));
  if (info.error) thing.add(Inspected::tr("Error"), inWindowWords(info.error->message));
  thing.add(Inspected::tr("Folder"), run.folder());
  return thing;
}

Inspected inspectedCard(const CardPlan& card, const std::vector<ShownRun>& runs) {
  Inspected thing{Inspected::tr("Card"), card.title};
  thing.add(Inspected::tr("Of"), card.fullName);
  for (const ShownRun& shown : runs) {
    if (!shown.run) continue;
    const MetricStore& metrics = shown.run->history().metrics();
    for (const std::string& tag : tagsOf(card, metrics)) {
      const MetricSeries* series = metrics.series(tag);
      if (!series || series->size() == 0) continue;
      const QString name = QString::fromStdString(tag);
      thing.parts.push_back(inspectedSeries(
          runs.size() > 1 ? QStringLiteral("%1, %2").arg(shown.name, name) : name, *series));
    }
  }
  return thing;
}

}  // namespace lockstep::app
