#include <QTest>

#include "engine/supervisor/restart_budget.h"
#include "tests/support/test_main.h"

using namespace std::chrono_literals;
using lockstep::supervisor::RestartBudget;

class TstRestartBudget : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void restartsAreLimited() {
    RestartBudget budget(2);
    QVERIFY(budget.take(0s));
    QVERIFY(budget.take(0s));
    QVERIFY(!budget.take(1000s));
    QCOMPARE(budget.used(), 2);
    QVERIFY(!RestartBudget(0).take(0s));
  }

  void backoffGrowsWhileAttemptsFailImmediately() {
    RestartBudget budget(100);
    auto before = *budget.take(0s);
    QVERIFY(before > 0ms);
    for (int i = 0; i < 3; ++i) {
      const auto next = *budget.take(1s);
      QCOMPARE(next.count(), 2 * before.count());
      before = next;
    }
    for (int i = 0; i < 20; ++i) before = *budget.take(1s);
    QCOMPARE(before.count(), RestartBudget::kLongestBackoff.count());
  }

  void aLongAttemptResetsTheBackoff() {
    RestartBudget budget(100);
    for (int i = 0; i < 5; ++i) budget.take(0s);
    QCOMPARE(budget.take(100s)->count(), RestartBudget::kFirstBackoff.count());
    QVERIFY(*budget.take(0s) > RestartBudget::kFirstBackoff);
  }
};

LOCKSTEP_TEST(TstRestartBudget)
#include "tst_restart_budget.moc"
