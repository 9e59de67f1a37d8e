#include <QFile>
#include <QTest>
#include <QThread>
#include <chrono>
#include <semaphore>
#include <stdexcept>

#include "tests/support/dead_disk.h"
#include "tests/support/test_main.h"
#include "widgets/jobs/awaited.h"

using namespace lockstep;
using namespace std::chrono_literals;

class TstAwaited : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theResultIsThereAfterTheEnd() {
    const jobs::Awaited work([] { return 42; });
    QVERIFY(work.ending().wait(60s));
    QVERIFY(work.ending().isReached());
    QCOMPARE(work.take(), 42);
  }

  void whatTheWorkThrowsIsThrownToWhoTakesIt() {
    const jobs::Awaited work([]() -> int { throw std::runtime_error("no"); });
    QVERIFY(work.ending().wait(60s));
    QVERIFY_THROWS_EXCEPTION(std::runtime_error, work.take());
  }

  void theEndIsToldBeforeAndAfterItIsReached() {
    std::binary_semaphore mayEnd(0);
    const jobs::Awaited work([&mayEnd] {
      mayEnd.acquire();
      return true;
    });
    QVERIFY(!work.ending().wait(1ms));
    int told = 0;
    const auto tell = [&told] {
      QCOMPARE(QThread::currentThread(), QCoreApplication::instance()->thread());
      ++told;
    };
    {
      QObject gone;
      work.ending().then(&gone, tell);
    }
    work.ending().then(this, tell);
    QCOMPARE(told, 0);
    mayEnd.release();
    QTRY_COMPARE(told, 1);
    work.ending().then(this, tell);
    QCOMPARE(told, 1);  // from the event loop
    QTRY_COMPARE(told, 2);
  }

  void aDeadDiskIsWaitedForNoLongerThanAsked() {
    tests::DeadDisk disk(tests::DeadDisk::Files{{"a.yaml", "name: a\n"}});
    if (!disk.isThere()) QSKIP("needs the right to mount a file system");
    const auto read = [path = disk.path("a.yaml")] {
      QFile file(path);
      return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    const jobs::Awaited before(read);
    QVERIFY(before.ending().wait(60s));
    QCOMPARE(before.take(), QByteArray("name: a\n"));
    disk.stop();
    const jobs::Awaited hanging(read);
    QVERIFY(!hanging.ending().wait(50ms));
    disk.revive();
    QVERIFY(hanging.ending().wait(60s));
    QCOMPARE(hanging.take(), QByteArray("name: a\n"));
  }
};

LOCKSTEP_TEST(TstAwaited)
#include "tst_awaited.moc"
