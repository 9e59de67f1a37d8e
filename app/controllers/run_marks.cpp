#include "app/controllers/run_marks.h"

#include <QCoreApplication>

#include "app/controllers/metric_curve.h"
#include "app/models/checkpoint_text.h"
#include "app/models/run_alerts.h"
#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

using Kind = widgets::EventMark::Kind;

QString tr(const char* text) { return QCoreApplication::translate("MonitorPage", text); }

/// Marks of one run at steps.
class Marks {
 public:
  Marks(const RunController& run, widgets::XAxis axis, std::vector<widgets::EventMark>& marks)
      : run_(run), axis_(axis), marks_(marks) {}
  void add(Kind kind, std::int64_t step, const QString& text) {
    if (const auto x = xOfStep(run_, step, axis_)) marks_.push_back({*x, text, kind});
  }

 private:
  const RunController& run_;
  widgets::XAxis axis_;
  std::vector<widgets::EventMark>& marks_;
};

void addResults(const RunController& run, Marks& marks) {
  const auto& best = run.info().best;
  for (const protocol::Checkpoint& checkpoint : run.history().checkpoints())
    marks.add(
        Kind::Checkpoint, checkpoint.step,
        checkpointText(checkpoint, run.checkpointSteps(), best ? best->metric : std::string()));
  for (const std::int64_t step : run.history().evaluationSteps())
    marks.add(Kind::Evaluation, step, tr("evaluation at step %1").arg(step));
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
      marks.add(Kind::LearningRate, step, tr("the learning rate falls at step %1").arg(step));
    for (const std::int64_t step : history->resumeSteps())
      if (!first->info().forkedFrom || first->info().forkedFrom->step != step)
        marks.add(Kind::Resume, step, tr("resumed at step %1").arg(step));
    for (const protocol::Alert& alert : history->alerts())
      marks.add(Kind::Alert, stepToShow(alert), alertTitle(alert));
  }
  for (const ShownRun& shown : runs) {
    const auto& fork = shown.run ? shown.run->info().forkedFrom : std::nullopt;
    if (!fork) continue;
    Marks(*shown.run, axis, all)
        .add(Kind::Fork, fork->step,
             tr("%1 is a fork of %2 from here")
                 .arg(shown.name, QString::fromStdString(fork->run).section(QLatin1Char('/'), -1)));
  }
  return all;
}

}  // namespace lockstep::app
