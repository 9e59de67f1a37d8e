#include <QSignalSpy>
#include <QTest>

#include "tests/support/test_main.h"
#include "widgets/throttle.h"

using lockstep::widgets::Throttle;
using namespace std::chrono_literals;

class TstThrottle : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void manyRequestsFireOnce() {
    Throttle throttle(20ms);
    QSignalSpy due(&throttle, &Throttle::due);
    for (int i = 0; i < 1000; ++i) throttle.request();
    QCOMPARE(due.count(), 0);  // never within request()
    QVERIFY(due.wait());
    QCOMPARE(due.count(), 1);
    QVERIFY(!throttle.isPending());
  }

  void aRequestAfterFiringFiresAgain() {
    Throttle throttle(20ms);
    QSignalSpy due(&throttle, &Throttle::due);
    throttle.request();
    QVERIFY(due.wait());
    throttle.request();
    QVERIFY(throttle.isPending());
    QVERIFY(due.wait());
    QCOMPARE(due.count(), 2);
  }

  void signalsAreAtLeastTheIntervalApart() {
    Throttle throttle(30ms);
    std::vector<qint64> times;
    QElapsedTimer clock;
    clock.start();
    connect(&throttle, &Throttle::due, &throttle, [&] {
      times.push_back(clock.elapsed());
      if (times.size() < 4) throttle.request();
    });
    throttle.request();
    QTRY_COMPARE(times.size(), std::size_t{4});
    for (std::size_t i = 1; i < times.size(); ++i) QVERIFY(times[i] - times[i - 1] >= 29);
  }
};

LOCKSTEP_TEST(TstThrottle)
#include "tst_throttle.moc"
