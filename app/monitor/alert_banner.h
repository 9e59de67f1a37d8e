#pragma once

#include "app/runs/open/dismissals.h"
#include "app/runs/open/shown_run.h"
#include "widgets/banner.h"

namespace lockstep::app {

/// Banner above the curves: the newest alert of the current run that still applies. Dismissing it
/// dismisses the older ones, too.
class AlertBanner : public widgets::Banner {
  Q_OBJECT

 public:
  explicit AlertBanner(QWidget* parent = nullptr);
  /// Call it whenever the run's alerts may have changed. Unless `isOnly`, the title names the run.
  void showAlertOf(const ShownRun& current, bool isOnly);
  Dismissals* dismissals() { return &dismissals_; }

 Q_SIGNALS:
  void showRequested(const lockstep::protocol::Alert& alert);

 private:
  const protocol::Alert* shownAlert() const;

  QPointer<RunController> run_;
  Dismissals dismissals_;  ///< wall time of the newest dismissed alert
};

}  // namespace lockstep::app
