#pragma once

#include <QObject>
#include <memory>

#include "app/runs/list/run_scan.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// Looks again and again for the runs at one place, in the background and apart from all others, so
/// that a disk that does not answer keeps back nothing but its own runs.
class PlaceScan : public QObject {
  Q_OBJECT

 public:
  explicit PlaceScan(QObject* parent = nullptr);

  /// Looks for this from now on.
  void look(const RunScan::Wanted& wanted);
  const RunScan::Wanted& wanted() const { return wanted_; }
  /// Now, or once more after the look that is going on.
  void lookAgain();
  /// What look() asked for last was looked at, or the place does not answer.
  bool isSettled() const { return looked_ == asked_ || isOverdue_; }

 Q_SIGNALS:
  void scanned(const lockstep::app::RunScan::Changes& changes);
  /// It has not answered for some seconds. Another scanned() follows if it does.
  void overdue();

 private:
  void start();

  RunScan::Wanted wanted_;
  std::shared_ptr<RunScan> scan_;  ///< used by one worker thread at a time
  jobs::Job job_;
  bool again_ = false, isOverdue_ = false;
  int asked_ = 0;   ///< number of calls of look() so far
  int looked_ = 0;  ///< asked_ when the last finished look started
};

}  // namespace lockstep::app
