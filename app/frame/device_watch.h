#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>

#include "app/frame/device_use.h"
#include "app/runs/list/run_facts.h"
#include "widgets/jobs/jobs.h"

namespace lockstep::app {

class FactPanel;
class RunListModel;

/// Shows in its panel every few seconds who has which device, what the runs that train on this
/// machine use, and the queue: while the panel can be seen. Files are read in the background.
class DeviceWatch : public QObject {
  Q_OBJECT

 public:
  DeviceWatch(FactPanel* panel, RunListModel* runs, QObject* parent);

 private:
  void look();
  void show();
  /// Those of this machine that run or wait.
  std::vector<LiveRun> aliveRuns() const;

  FactPanel* panel_;
  RunListModel* runs_;
  RunFacts facts_;
  QStringList watched_;  ///< runs whose facts are known or wanted
  DeviceUse use_;
  jobs::Job reading_;
  QTimer timer_;
};

}  // namespace lockstep::app
