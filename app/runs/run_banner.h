#pragma once

#include <QHash>
#include <QString>
#include <vector>

#include "app/controllers/run_message.h"
#include "app/models/dismissals.h"
#include "widgets/banner.h"

namespace lockstep::app {

/// Over the pages of runs: why one of those shown failed, or cannot be read or followed. It tells
/// the leading run's before another's, offers to go on with a run that failed, goes when the fault
/// is mended, and once dismissed stays away until there is another.
class RunBanner : public widgets::Banner {
  Q_OBJECT

 public:
  explicit RunBanner(QWidget* parent = nullptr);
  /// The first leads. Again whenever one of them has changed.
  void showRuns(const std::vector<ShownRun>& runs);
  Dismissals* dismissals() { return &dismissals_; }

 Q_SIGNALS:
  void resumeRequested(const QString& folder, const QStringList& overrides);

 private:
  bool isDismissed(const RunMessage& message) const;

  QString shownOf_, shownKind_;  ///< whose message stands here, and which
  bool showsFailure_ = false;
  Dismissals dismissals_;                    ///< of failures, by the attempt
  QHash<QString, QString> dismissedFaults_;  ///< by run: which
};

}  // namespace lockstep::app
