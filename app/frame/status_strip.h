#pragma once

#include <QStatusBar>
#include <QString>
#include <QTimer>

#include "widgets/jobs/jobs.h"

class QLabel;

namespace lockstep::app {

class RunController;

/// The status bar: connection, process and ranks of the current run, and the free disk space of the
/// runs folder.
class StatusStrip : public QStatusBar {
  Q_OBJECT

 public:
  explicit StatusStrip(QWidget* parent = nullptr);
  /// nullptr: no run.
  void showRun(const RunController* run);
  void setRunsFolder(const QString& folder);

 private:
  void updateDisk();

  QLabel* connection_ = nullptr;
  QLabel* disk_ = nullptr;
  QString folder_;
  QTimer diskTimer_;
  jobs::Job diskJob_;
};

}  // namespace lockstep::app
