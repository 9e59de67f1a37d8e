#pragma once

#include <QObject>
#include <atomic>
#include <thread>
#include <vector>

namespace lockstep::speed {

/// How long the GUI thread leaves an event waiting: another thread posts one every millisecond.
class GuiPauses : public QObject {
 public:
  GuiPauses();
  ~GuiPauses() override;

  /// Delays of the events since the last call, ms.
  std::vector<double> take();

 protected:
  bool event(QEvent* event) override;

 private:
  std::vector<double> delays_;  ///< GUI thread
  std::atomic<bool> isWaiting_ = false;
  std::jthread thread_;
};

}  // namespace lockstep::speed
