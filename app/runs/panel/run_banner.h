#pragma once

#include <QHash>
#include <QString>
#include <vector>

#include "app/runs/open/dismissals.h"
#include "app/runs/open/run_message.h"
#include "widgets/banner.h"

namespace lockstep::app {

/// Banner above the pages of runs: why a shown run failed, or cannot be read or followed. The
/// current run comes first. Offers to resume a failed run. Disappears when the error is gone; once
/// dismissed, the same message is not shown again.
class RunBanner : public widgets::Banner {
  Q_OBJECT

 public:
  explicit RunBanner(QWidget* parent = nullptr);
  /// The current run is first. Call it whenever one of them has changed.
  void showRuns(const std::vector<ShownRun>& runs);
  Dismissals* dismissals() { return &dismissals_; }

 Q_SIGNALS:
  void resumeRequested(const QString& folder, const QStringList& overrides);

 private:
  bool isDismissed(const RunMessage& message) const;

  QString shownOf_, shownKind_;  ///< run folder and kind of the shown message
  bool showsFailure_ = false;
  Dismissals dismissals_;                    ///< dismissed failures, by attempt
  QHash<QString, QString> dismissedErrors_;  ///< dismissed kind by run folder
};

}  // namespace lockstep::app
