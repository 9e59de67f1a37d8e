#include "app/monitor/alert_banner.h"

#include "app/runs/open/run_alerts.h"
#include "app/text/window_words.h"

namespace lockstep::app {

AlertBanner::AlertBanner(QWidget* parent) : Banner(parent) {
  connect(this, &Banner::actionTriggered, this, [this] {
    if (const protocol::Alert* alert = shownAlert()) Q_EMIT showRequested(*alert);
  });
  connect(this, &Banner::dismissed, this, [this] {
    if (const protocol::Alert* alert = shownAlert())
      dismissals_.add(run_->folder(), QString::number(alert->time, 'g', 17));
  });
}

const protocol::Alert* AlertBanner::shownAlert() const {
  if (!run_) return nullptr;
  const QString until = dismissals_.of(run_->folder());
  return currentAlert(run_->history(), until.isEmpty() ? -1 : until.toDouble());
}

void AlertBanner::showAlertOf(const ShownRun& current, bool isOnly) {
  run_ = current.run;
  const protocol::Alert* alert = shownAlert();
  if (!alert) {
    hide();
    return;
  }
  QString title = alertTitle(*alert);
  if (!isOnly) title.prepend(current.name + QStringLiteral(": "));
  const QString text = inWindowWords(alert->text);
  if (!isHidden() && detail() == text && this->title() == title) return;
  showMessage(Kind::Warning, title, text, tr("Show in the curves"));
}

}  // namespace lockstep::app
