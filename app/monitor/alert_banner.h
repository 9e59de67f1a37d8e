#pragma once

#include "app/controllers/shown_run.h"
#include "app/models/dismissals.h"
#include "widgets/banner.h"

namespace lockstep::app {

/// Over the curves: the newest alert of the leading run that still holds. Once dismissed, it and
/// the older ones stay away.
class AlertBanner : public widgets::Banner {
  Q_OBJECT

 public:
  explicit AlertBanner(QWidget* parent = nullptr);
  /// Again whenever it has changed. `isOnly`: else the run is named.
  void showAlertOf(const ShownRun& leading, bool isOnly);
  Dismissals* dismissals() { return &dismissals_; }

 Q_SIGNALS:
  void showRequested(const lockstep::protocol::Alert& alert);

 private:
  const protocol::Alert* shownAlert() const;

  QPointer<RunController> run_;
  Dismissals dismissals_;  ///< by the time of the newest alert then
};

}  // namespace lockstep::app
