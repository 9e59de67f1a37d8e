#include "app/models/run_alerts.h"

#include <QCoreApplication>
#include <algorithm>

#include "engine/events/tags.h"

namespace lockstep::app {
namespace {

QString tr(const char* text) { return QCoreApplication::translate("AlertBanner", text); }

/// A failure that is told again behind a cut has the step where the run goes on.
std::int64_t lastStep(const protocol::Alert& alert) { return std::max(alert.step, alert.to); }

}  // namespace

QString alertTitle(const protocol::Alert& alert) {
  const QString title = alert.kind == "overfitting"  ? tr("Overfitting since step %1")
                        : alert.kind == "non_finite" ? tr("Non-finite loss at step %1")
                        : alert.kind == "checkpoint_failed"
                            ? tr("The checkpoint of step %1 was not saved")
                        : alert.kind == "loss_jump" ? tr("Loss spike at step %1")
                        : alert.kind == "slow_rank" ? tr("A rank is slow since step %1")
                                                    : tr("Alert at step %1");
  return title.arg(stepToShow(alert));
}

std::int64_t stepToShow(const protocol::Alert& alert) {
  if (alert.kind == "overfitting") return alert.from;  // the held-out loss was lowest there
  return lastStep(alert);
}

const protocol::Alert* currentAlert(const RunHistory& history, double dismissedUntil) {
  const std::vector<protocol::Alert>& alerts = history.alerts();
  const MetricSeries* heldOut = history.metrics().series(events::tags::kEvalTotalLoss);
  const std::int64_t lowest = heldOut && heldOut->lowest() ? heldOut->step(*heldOut->lowest()) : 0;
  const auto shown = std::find_if(alerts.rbegin(), alerts.rend(), [&](const auto& alert) {
    const bool isOver = alert.kind == "overfitting" && lowest > alert.step;
    const bool hasItsOwnBanner = alert.kind == "run_failed";
    return alert.time > dismissedUntil && !isOver && !hasItsOwnBanner;
  });
  return shown == alerts.rend() ? nullptr : &*shown;
}

std::vector<LogEntry> alertLines(const std::vector<protocol::Alert>& alerts) {
  std::vector<LogEntry> lines;
  for (const protocol::Alert& alert : alerts) {
    const std::int64_t step = lastStep(alert);
    lines.push_back({alert.seq, step, alert.time, alert.severity,
                     "step " + std::to_string(step) + ": " + alert.text});
  }
  return lines;
}

}  // namespace lockstep::app
