#include "app/monitor/alert_banner.h"

#include <algorithm>

namespace lockstep::app {
namespace {

QString titleOf(const protocol::Alert& alert) {
  const QString title =
      alert.kind == "overfitting"  ? AlertBanner::tr("Overfitting since step %1")
      : alert.kind == "non_finite" ? AlertBanner::tr("A loss is not finite at step %1")
      : alert.kind == "checkpoint_failed"
          ? AlertBanner::tr("The checkpoint of step %1 was not saved")
      : alert.kind == "loss_jump" ? AlertBanner::tr("The loss jumped at step %1")
      : alert.kind == "slow_rank" ? AlertBanner::tr("One rank is late since step %1")
                                  : AlertBanner::tr("Alert at step %1");
  return title.arg(stepToShow(alert));
}

}  // namespace

std::int64_t stepToShow(const protocol::Alert& alert) {
  if (alert.kind == "overfitting") return alert.from;  // the held-out loss was lowest there
  return std::max(alert.step, alert.to);
}

AlertBanner::AlertBanner(QWidget* parent) : Banner(parent) {
  connect(this, &Banner::actionTriggered, this, [this] {
    if (const protocol::Alert* alert = run_ ? alertOf(*run_) : nullptr)
      Q_EMIT showRequested(*alert);
  });
  connect(this, &Banner::dismissed, this, [this] {
    if (const protocol::Alert* alert = run_ ? alertOf(*run_) : nullptr)
      dismissals_.add(run_->folder(), QString::number(alert->time, 'g', 17));
  });
}

/// A new lowest held-out loss ends an overfitting.
const protocol::Alert* AlertBanner::alertOf(const RunController& run) const {
  const std::vector<protocol::Alert>& alerts = run.history().alerts();
  const QString until = dismissals_.of(run.folder());
  const double dismissedUntil = until.isEmpty() ? -1 : until.toDouble();
  const MetricSeries* heldOut = run.history().metrics().series("eval/loss_total");
  const std::int64_t lowest = heldOut && heldOut->lowest() ? heldOut->step(*heldOut->lowest()) : 0;
  const auto shown = std::find_if(alerts.rbegin(), alerts.rend(), [&](const auto& alert) {
    const bool isOver = alert.kind == "overfitting" && lowest > alert.step;
    const bool hasItsOwnBanner = alert.kind == "run_failed";
    return alert.time > dismissedUntil && !isOver && !hasItsOwnBanner;
  });
  return shown == alerts.rend() ? nullptr : &*shown;
}

void AlertBanner::showAlertOf(const ShownRun& leading, bool isOnly) {
  run_ = leading.run;
  const protocol::Alert* alert = run_ ? alertOf(*run_) : nullptr;
  if (!alert) {
    hide();
    return;
  }
  QString title = titleOf(*alert);
  if (!isOnly) title.prepend(leading.name + QStringLiteral(": "));
  const QString text = QString::fromStdString(alert->text);
  if (!isHidden() && detail() == text && this->title() == title) return;
  showMessage(Kind::Warning, title, text, tr("Show in the curves"));
}

}  // namespace lockstep::app
