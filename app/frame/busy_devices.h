#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

#include "widgets/jobs/jobs.h"

namespace lockstep::app {

/// Looks every few seconds whether this user trains on devices of this machine, while it is asked
/// to.
class BusyDevices : public QObject {
  Q_OBJECT

 public:
  explicit BusyDevices(QObject* parent = nullptr);

  void setWatching(bool watches);
  /// `the CPU: run a (/runs/a, pid 1)`, a line for each device; empty: all are free.
  QString text() const { return text_; }

 Q_SIGNALS:
  void changed();

 private:
  void look();

  QTimer timer_;
  jobs::Job job_;
  QString text_;
};

}  // namespace lockstep::app
