#pragma once

#include <signal.h>

#include <QObject>
#include <functional>
#include <utility>
#include <vector>

#include "engine/base/file_descriptor.h"

class QSocketNotifier;

namespace lockstep::app {

/// Ends the application in order when it is sent SIGTERM, SIGHUP or SIGINT: a session that ends, a
/// terminal that closes. Exit status 128 + signal. Those that are ignored stay so. One at a time.
class EndingSignals : public QObject {
  Q_OBJECT

 public:
  /// `beforeEnd` is called in the GUI thread.
  explicit EndingSignals(std::function<void()> beforeEnd, QObject* parent = nullptr);
  ~EndingSignals() override;

 private:
  void end();

  std::function<void()> beforeEnd_;
  QSocketNotifier* notifier_ = nullptr;
  base::FileDescriptor readEnd_, writeEnd_;
  std::vector<std::pair<int, struct sigaction>> before_;  ///< what was there of those taken over
};

}  // namespace lockstep::app
