#pragma once

#include <QObject>
#include <functional>

class QSocketNotifier;

namespace lockstep::app {

/// Ends the application in order when it is sent SIGTERM, SIGHUP or SIGINT: a session that ends, a
/// terminal that closes. Exit status 128 + signal. One at a time.
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
  int ends_[2] = {-1, -1};
};

}  // namespace lockstep::app
