#include <ATen/Parallel.h>

#include <QTest>
#include <atomic>
#include <semaphore>
#include <stdexcept>

#include "engine/eval/parallel_images.h"
#include "engine/ops/spare_threads.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;

class TstParallelImages : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void everyImageIsProcessedOnce_data() {
    QTest::addColumn<int>("threads");
    for (const int threads : {1, 2, 7}) QTest::addRow("%d threads", threads) << threads;
  }
  void everyImageIsProcessedOnce() {
    QFETCH(int, threads);
    std::vector<std::atomic<int>> taken(50);
    std::atomic<int> reports = 0;
    eval::forEachImage(
        50, threads, [&](std::int64_t i) { ++taken[i]; },
        [&](std::int64_t, std::int64_t) { ++reports; });
    for (const auto& count : taken) QCOMPARE(count.load(), 1);
    QCOMPARE(reports.load(), 50);
  }

  void workRunsWithOneIntraOpThreadAndNoGradients() {
    const int before = at::get_num_threads();
    std::atomic<bool> right = true;
    eval::forEachImage(4, 2, [&](std::int64_t) {
      if (at::get_num_threads() != 1 || at::GradMode::is_enabled()) right = false;
    });
    QVERIFY(right);
    QCOMPARE(at::get_num_threads(), before);
    QVERIFY(at::GradMode::is_enabled());
  }

  void threadsWithoutAnImageAreSpare_data() {
    QTest::addColumn<int>("images");
    QTest::addColumn<int>("perImage");
    QTest::addRow("one image") << 1 << 4;
    QTest::addRow("two images") << 2 << 2;
    QTest::addRow("three images") << 3 << 1;
    QTest::addRow("nine images") << 9 << 1;
  }
  void threadsWithoutAnImageAreSpare() {
    QFETCH(int, images);
    QFETCH(int, perImage);
    std::atomic<bool> right = true;
    eval::forEachImage(images, 4, [&](std::int64_t) {
      eval::forEachImage(1, 1, [&](std::int64_t) {  // as for one file of them
        const ops::cpu::OnSpareThreads all;
        if (at::get_num_threads() != perImage) right = false;
      });
    });
    QVERIFY(right);
    const int before = at::get_num_threads();
    const ops::cpu::OnSpareThreads none;
    QCOMPARE(at::get_num_threads(), before);
  }

  /// A new thread's first operation would take the number that another thread has set last.
  void aThreadKeepsItsNumberWhileAnotherHasMore() {
    std::binary_semaphore hasOne{0}, hasMore{0}, isAsked{0};
    int own = 0;
    eval::forEachImage(2, 4, [&](std::int64_t i) {
      if (i == 0) {
        hasOne.acquire();
        const ops::cpu::OnSpareThreads all;
        hasMore.release();
        isAsked.acquire();
      } else {
        hasOne.release();
        hasMore.acquire();
        at::parallel_for(0, 8, 1, [](std::int64_t, std::int64_t) {});
        own = at::get_num_threads();
        isAsked.release();
      }
    });
    QCOMPARE(own, 1);
  }

  void exceptionsAreRethrown() {
    QVERIFY_EXCEPTION_THROWN(eval::forEachImage(20, 3,
                                                [](std::int64_t i) {
                                                  if (i == 5) throw std::runtime_error("image 5");
                                                }),
                             std::runtime_error);
  }
};

LOCKSTEP_TEST(TstParallelImages)
#include "tst_parallel_images.moc"
