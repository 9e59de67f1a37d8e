#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <map>
#include <memory>

#include "app/runs/open/run_controller.h"

namespace lockstep::app {

/// The open runs, each read once. Above a limit the least recently shown ones are closed, unless
/// they predict.
class OpenRuns : public QObject {
  Q_OBJECT

 public:
  explicit OpenRuns(QObject* parent = nullptr);
  ~OpenRuns() override;

  /// The run, opened if it was not. Never nullptr.
  RunController* open(const QString& folder);
  /// nullptr when it is not open.
  RunController* find(const QString& folder) const;
  /// The runs that are shown, which are never closed.
  void setShown(const QStringList& folders);
  /// For all runs, also later ones.
  void setSmoothing(double weight);

 Q_SIGNALS:
  void runOpened(lockstep::app::RunController* run);

 private:
  std::map<QString, std::unique_ptr<RunController>> runs_;
  QStringList recent_;  ///< most recently shown first
  double smoothing_ = 0.6;
};

}  // namespace lockstep::app
