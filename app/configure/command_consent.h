#pragma once

#include <QString>
#include <QStringList>

#include "engine/config/experiment.h"

class QWidget;

namespace lockstep::app {

/// Commands of monitor.on_event that may run: the user wrote them in a window, or agreed to them
/// once.
class CommandConsent {
 public:
  /// `keeps`: remembers them in QSettings for later windows.
  CommandConsent(QWidget* window, bool keeps);

  /// Asks about unknown commands; false: the user refused. `name`: the run or the experiment.
  bool mayRun(const config::EventCommands& commands, const QString& name);
  /// Allows commands that the user wrote.
  void add(const QStringList& commands);

 private:
  QWidget* window_;
  bool keeps_;
  QStringList known_;  ///< SHA-256 of each, oldest first
};

}  // namespace lockstep::app
