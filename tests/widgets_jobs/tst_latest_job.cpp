#include <QTest>
#include <memory>
#include <semaphore>

#include "tests/support/test_main.h"
#include "widgets/jobs/latest_job.h"

using namespace lockstep;

class TstLatestJob : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyTheNewestOfManyRequestsIsDelivered() {
    std::binary_semaphore goOn{0};
    std::vector<int> delivered;
    std::atomic<int> worked = 0;
    jobs::LatestJob<int> latest([&](const int& value) { delivered.push_back(value); });
    latest.request([&] {
      goOn.acquire();
      ++worked;
      return 0;
    });
    for (int i = 1; i < 10; ++i)
      latest.request([&, i] {
        ++worked;
        return i;
      });
    QVERIFY(!latest.isIdle());
    goOn.release();
    QTRY_VERIFY(latest.isIdle());
    QCOMPARE(delivered, std::vector<int>{9});
    QCOMPARE(worked.load(), 2);
  }

  void aCancelledRequestIsNotDelivered() {
    int delivered = 0;
    jobs::LatestJob<int> latest([&](const int& value) { delivered = value; });
    latest.request([] { return 1; });
    latest.cancel();
    QVERIFY(latest.isIdle());
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
    QCOMPARE(delivered, 0);
    latest.request([] { return 2; });
    QTRY_COMPARE(delivered, 2);
  }

  void itNeedNotWaitForAJobToBeDestroyed() {
    std::binary_semaphore begun{0}, goOn{0};
    auto latest = std::make_unique<jobs::LatestJob<int>>([](const int&) { QFAIL("delivered"); });
    latest->request([&] {
      begun.release();
      goOn.acquire();
      return 1;
    });
    begun.acquire();
    latest.reset();
    goOn.release();
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
  }
};

LOCKSTEP_TEST(TstLatestJob)
#include "tst_latest_job.moc"
