#include <signal.h>

#include <QTest>

#include "app/termination_signals.h"
#include "tests/support/test_main.h"

using lockstep::app::TerminationSignals;

namespace {

using Handler = void (*)(int);

Handler handlerOf(int number) {
  struct sigaction now {};
  return ::sigaction(number, nullptr, &now) == 0 ? now.sa_handler : SIG_ERR;
}

}  // namespace

class TstTerminationSignals : public QObject {
  Q_OBJECT

 private:
  Handler ofHangUp_ = SIG_DFL, ofInterrupt_ = SIG_DFL;

 private Q_SLOTS:
  void init() {
    ofHangUp_ = ::signal(SIGHUP, SIG_IGN);  // as nohup leaves it
    ofInterrupt_ = ::signal(SIGINT, SIG_DFL);
  }
  void cleanup() {
    ::signal(SIGHUP, ofHangUp_);
    ::signal(SIGINT, ofInterrupt_);
  }

  void ignoredSignalsStayIgnoredAndTheOthersAreRestored() {
    {
      const TerminationSignals signalsOfTheApp([] {});
      QVERIFY(handlerOf(SIGHUP) == SIG_IGN);
      QVERIFY(handlerOf(SIGINT) != SIG_DFL);
    }
    QVERIFY(handlerOf(SIGHUP) == SIG_IGN);
    QVERIFY(handlerOf(SIGINT) == SIG_DFL);
  }
};

LOCKSTEP_TEST(TstTerminationSignals)
#include "tst_termination_signals.moc"
