#pragma once

#include <QString>
#include <QStringList>

#include "engine/config/experiment.h"

class QWidget;

namespace lockstep::app {

/// The commands of monitor.on_event that may run: those that the user wrote in a window, or agreed
/// to once.
class CommandConsent {
 public:
  /// `keeps`: for later windows, in QSettings.
  CommandConsent(QWidget* window, bool keeps);

  /// Asks before the first of them. `name`: what is to be trained.
  bool mayRun(const config::EventCommands& commands, const QString& name);
  /// They were written here.
  void add(const QStringList& commands);

 private:
  QWidget* window_;
  bool keeps_;
  QStringList known_;  ///< hashes, the oldest first
};

}  // namespace lockstep::app
