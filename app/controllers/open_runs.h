#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <memory>

#include "app/controllers/run_controller.h"

namespace lockstep::app {

/// The runs that are held open, each read once. Those that were not shown for longest are closed
/// past a limit.
class OpenRuns : public QObject {
  Q_OBJECT

 public:
  explicit OpenRuns(QObject* parent = nullptr);
  ~OpenRuns() override;

  /// Opens the run or gives the one that is open. Never nullptr.
  RunController* open(const QString& folder);
  /// nullptr when it is not open.
  RunController* find(const QString& folder) const;
  /// These are on the screen; they are never closed here.
  void setShown(const QStringList& folders);
  /// For all runs, those to come too.
  void setSmoothing(double weight);

 Q_SIGNALS:
  void runOpened(lockstep::app::RunController* run);

 private:
  std::map<QString, std::unique_ptr<RunController>> runs_;
  QStringList recent_;  ///< the last shown first
  double smoothing_ = 0.6;
};

}  // namespace lockstep::app
