#include <QTest>
#include <atomic>
#include <thread>
#include <vector>

#include "engine/worker/pixel_budget.h"
#include "tests/support/test_main.h"

using lockstep::worker::PixelBudget;

class TstPixelBudget : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void neverMoreThanTheMostIsTaken() {
    constexpr std::int64_t kMost = 100;
    PixelBudget budget(kMost);
    std::atomic<std::int64_t> taken = 0, highest = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 500; ++i) {
          const std::int64_t pixels = 1 + (7 * t + 13 * i) % kMost;
          const PixelBudget::Share share(budget, pixels);
          const std::int64_t now = taken += pixels;
          for (std::int64_t before = highest; before < now;)
            if (highest.compare_exchange_weak(before, now)) break;
          std::this_thread::yield();
          taken -= pixels;
        }
      });
    threads.clear();
    QVERIFY(highest > kMost / 2);
    QVERIFY(highest <= kMost);
  }

  void whatFitsDoesNotWait() {
    PixelBudget budget(100);
    const PixelBudget::Share first(budget, 60), second(budget, 40);
  }

  void moreThanTheMostAndUnknownAreAlone_data() {
    QTest::addColumn<int>("pixels");
    QTest::newRow("more") << 500;
    QTest::newRow("unknown") << 0;
  }
  void moreThanTheMostAndUnknownAreAlone() {
    QFETCH(int, pixels);
    PixelBudget budget(100);
    constexpr int kEnteringMs = 100;  // one that does not wait has it by then
    std::atomic<bool> hasBegun = false, hasEntered = false;
    std::jthread other;
    {
      const PixelBudget::Share alone(budget, pixels);
      other = std::jthread([&] {
        hasBegun = true;
        const PixelBudget::Share share(budget, 1);
        hasEntered = true;
      });
      QTRY_VERIFY(hasBegun);
      QVERIFY(!QTest::qWaitFor([&] { return hasEntered.load(); }, kEnteringMs));
    }
    other.join();
    QVERIFY(hasEntered);
  }
};

LOCKSTEP_TEST(TstPixelBudget)
#include "tst_pixel_budget.moc"
