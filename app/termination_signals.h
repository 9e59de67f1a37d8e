#pragma once

#include <signal.h>

#include <QObject>
#include <functional>
#include <utility>
#include <vector>

#include "engine/base/file_descriptor.h"

class QSocketNotifier;

namespace lockstep::app {

/// Exits the application cleanly on SIGTERM, SIGHUP or SIGINT, with status 128 + signal. Signals
/// that are ignored stay ignored. One instance at a time.
class TerminationSignals : public QObject {
  Q_OBJECT

 public:
  /// `beforeExit` is called in the GUI thread.
  explicit TerminationSignals(std::function<void()> beforeExit, QObject* parent = nullptr);
  ~TerminationSignals() override;

 private:
  void end();

  std::function<void()> beforeExit_;
  QSocketNotifier* notifier_ = nullptr;
  base::FileDescriptor readEnd_, writeEnd_;
  std::vector<std::pair<int, struct sigaction>> before_;  ///< replaced handlers, to restore
};

}  // namespace lockstep::app
