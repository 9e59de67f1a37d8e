#include "app/monitor/run_marks.h"

#include <algorithm>

#include "app/cards/metric_curve.h"
#include "app/runs/open/run_alerts.h"
#include "app/text/metric_text.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

using MarkKind = widgets::EventMark::Kind;

/// Marks of one run at steps.
class Marks {
 public:
  Marks(const RunController& run, widgets::XAxis axis, std::vector<widgets::EventMark>& marks)
      : run_(run), axis_(axis), marks_(marks) {}
  void add(MarkKind kind, std::int64_t step, const QString& text) {
    if (const auto x = xOfStep(run_, step, axis_)) marks_.push_back({*x, text, kind});
  }

 private:
  const RunController& run_;
  widgets::XAxis axis_;
  std::vector<widgets::EventMark>& marks_;
};

/// Tool tip of a checkpoint's mark in the curves. `kept`: steps whose checkpoint exists, ascending.
/// `bestMetric`: the metric that selects the best checkpoint, "" if unknown.
QString checkpointText(const protocol::Checkpoint& checkpoint,
                       const std::vector<std::int64_t>& kept, const std::string& bestMetric) {
  const bool isKept = std::binary_search(kept.begin(), kept.end(), checkpoint.step);
  const QString text = (isKept ? RunMarks::tr("checkpoint at step %1")
                               : RunMarks::tr("checkpoint at step %1, deleted"))
                           .arg(checkpoint.step);
  if (!checkpoint.best) return text;
  return text + RunMarks::tr(" (best %1)").arg(metricText(QString::fromStdString(bestMetric)));
}

void addResults(const RunController& run, Marks& marks) {
  const auto& best = run.info().best;
  for (const protocol::Checkpoint& checkpoint : run.history().checkpoints())
    marks.add(
        MarkKind::Checkpoint, checkpoint.step,
        checkpointText(checkpoint, run.checkpointSteps(), best ? best->metric : std::string()));
  for (const std::int64_t step : run.history().evaluationSteps())
    marks.add(MarkKind::Evaluation, step, RunMarks::tr("evaluation at step %1").arg(step));
}

}  // namespace

std::vector<widgets::EventMark> RunMarks::of(const std::vector<ShownRun>& runs,
                                             widgets::XAxis axis) {
  std::vector<widgets::EventMark> all;
  const RunController* first = runs.empty() ? nullptr : runs.front().run.data();
  const RunHistory* history = first ? &first->history() : nullptr;
  const auto& rateSteps = learningRate_.update(
      history ? history->metrics().series(events::tags::kLearningRate) : nullptr);
  if (first) {
    Marks marks(*first, axis, all);
    addResults(*first, marks);
    for (const std::int64_t step : rateSteps)
      marks.add(MarkKind::LearningRate, step, tr("the learning rate falls at step %1").arg(step));
    for (const std::int64_t step : history->resumeSteps())
      if (!first->info().forkedFrom || first->info().forkedFrom->step != step)
        marks.add(MarkKind::Resume, step, tr("resumed at step %1").arg(step));
    for (const protocol::Alert& alert : history->alerts())
      marks.add(MarkKind::Alert, stepToShow(alert), alertTitle(alert));
  }
  for (const ShownRun& shown : runs) {
    const auto& fork = shown.run ? shown.run->info().forkedFrom : std::nullopt;
    if (!fork) continue;
    Marks(*shown.run, axis, all)
        .add(MarkKind::Fork, fork->step,
             tr("%1 is a fork of %2 from here")
                 .arg(shown.name, QString::fromStdString(fork->run).section(QLatin1Char('/'), -1)));
  }
  return all;
}

}  // namespace lockstep::app
