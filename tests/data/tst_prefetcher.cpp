#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <latch>

#include "engine/base/error.h"
#include "engine/data/prefetcher.h"
#include "engine/data/sample_loader.h"
#include "tests/data/small_data_set.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using data::Batch;
using data::Prefetcher;

namespace {

Batch emptyBatch(std::int64_t number) {
  Batch batch;
  batch.step = number;
  return batch;
}

bool sameBits(const Batch& a, const Batch& b) {
  return torch::equal(a.images, b.images) && a.ids == b.ids && a.sizes == b.sizes &&
         a.step == b.step && a.microBatch == b.microBatch && a.samplingKeys == b.samplingKeys &&
         torch::equal(a.gts.boxesXyxy, b.gts.boxesXyxy) &&
         torch::equal(a.gts.classes, b.gts.classes) && torch::equal(a.gts.counts, b.gts.counts) &&
         torch::equal(a.gts.masks.windows, b.gts.masks.windows) &&
         torch::equal(a.gts.masks.pixels, b.gts.masks.pixels);
}

}  // namespace

class TstPrefetcher : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void batchesAreInOrderWhateverTheTiming() {
    // Even numbers wait until the odd one after them is loaded.
    std::vector<std::unique_ptr<std::latch>> loaded;
    for (int i = 0; i < 20; ++i) loaded.push_back(std::make_unique<std::latch>(1));
    Prefetcher prefetcher(
        [&](std::int64_t number) {
          loaded[number]->count_down();
          if (number % 2 == 0) loaded[number + 1]->wait();
          return emptyBatch(number);
        },
        0, 20, 2);
    for (std::int64_t number = 0; number < 20; ++number) QCOMPARE(prefetcher.next().step, number);
    QVERIFY_EXCEPTION_THROWN(prefetcher.next(), std::out_of_range);
  }

  void loadingAheadIsLimited() {
    std::atomic<std::int64_t> taken = 0;
    std::atomic<bool> tooFar = false;
    {
      Prefetcher prefetcher(
          [&](std::int64_t number) {
            if (number > taken + 3 + 2) tooFar = true;
            return emptyBatch(number);
          },
          0, 200, 3);
      for (int i = 0; i < 150; ++i) {
        prefetcher.next();
        ++taken;
      }
    }
    QVERIFY(!tooFar);
  }

  void loadErrorsAreRethrownInOrder() {
    Prefetcher prefetcher(
        [](std::int64_t number) {
          if (number == 2) throw Error("train/c.jpg: is truncated");
          return emptyBatch(number);
        },
        0, 100, 4);
    QCOMPARE(prefetcher.next().step, std::int64_t{0});
    QCOMPARE(prefetcher.next().step, std::int64_t{1});
    try {
      prefetcher.next();
      QFAIL("was accepted");
    } catch (const Error& error) {
      QCOMPARE(std::string(error.what()), std::string("train/c.jpg: is truncated"));
    }
    QCOMPARE(prefetcher.next().step, std::int64_t{3});
  }

  void nextIfReadyDoesNotBlock() {
    std::latch mayLoad(1), isLoaded(1);
    Prefetcher prefetcher(
        [&](std::int64_t number) {
          if (number == 1) mayLoad.wait();
          if (number == 2) throw Error("train/c.jpg: is truncated");
          if (number == 3) isLoaded.count_down();
          return emptyBatch(number);
        },
        0, 4, 1);
    QCOMPARE(prefetcher.next().step, std::int64_t{0});
    QVERIFY(!prefetcher.nextIfReady());
    mayLoad.count_down();
    std::optional<Batch> batch;
    const auto isTaken = [&] {
      if (!batch) batch = prefetcher.nextIfReady();
      return batch.has_value();
    };
    QTRY_VERIFY(isTaken());
    QCOMPARE(batch->step, std::int64_t{1});
    isLoaded.wait();
    QVERIFY(!prefetcher.nextIfReady());  // the error is left for next()
    QVERIFY_EXCEPTION_THROWN(prefetcher.next(), Error);
    QCOMPARE(prefetcher.next().step, std::int64_t{3});
  }

  void stoppingDoesNotHang_data() {
    QTest::addColumn<int>("taken");
    QTest::addColumn<int>("threads");
    QTest::newRow("at once") << 0 << 1;
    QTest::newRow("in the middle") << 3 << 2;
    QTest::newRow("after the last") << 10 << 5;
  }
  void stoppingDoesNotHang() {
    QFETCH(int, taken);
    QFETCH(int, threads);
    for (int again = 0; again < 50; ++again) {
      Prefetcher prefetcher(emptyBatch, 0, 10, threads);
      for (int i = 0; i < taken; ++i) prefetcher.next();
    }
  }

  void trainingBatchesDoNotDependOnThreadsOrFirstStep() {
    QTemporaryDir folder;
    const coco::Dataset dataset = tests::smallDataset();
    tests::writePictures(dataset, folder.path().toStdString());
    config::AugmentConfig augment;
    augment.minSize = {48, 64};
    augment.maxSize = 100;
    augment.brightness = 0.2;
    const data::SampleLoader loader(dataset, folder.path().toStdString(), augment,
                                    data::ClassTable(dataset), {.seed = 3});
    data::SamplerOptions options;
    options.batchSize = 4;
    options.accumulate = 2;
    const data::Sampler sampler(dataset, options);
    const auto one = data::prefetchTraining(loader, sampler, 1, 6, 1);
    const auto many = data::prefetchTraining(loader, sampler, 1, 6, 4);
    const auto late = data::prefetchTraining(loader, sampler, 4, 6, 2);
    for (std::int64_t step = 1; step <= 6; ++step) {
      for (int microBatch = 0; microBatch < 2; ++microBatch) {
        const Batch batch = one->next();
        QCOMPARE(batch.step, step);
        QCOMPARE(batch.microBatch, microBatch);
        QVERIFY(sameBits(batch, many->next()));
        if (step >= 4) QVERIFY(sameBits(batch, late->next()));
      }
    }
    QVERIFY_EXCEPTION_THROWN(one->next(), std::out_of_range);
  }

  void atLeastOneLoaderThread() {
    QCOMPARE(data::resolveLoaderThreads(3, {8, 2}), 3);
    QCOMPARE(data::resolveLoaderThreads(0, {1, 10000}), 1);
    QVERIFY(data::resolveLoaderThreads(0, {1, 1}) >= 1);
  }

  void loaderThreadsAreTheRemainingCoresPerRank_data() {
    QTest::addColumn<int>("cores");
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("computing");
    QTest::addColumn<int>("expected");
    QTest::newRow("one rank on a GPU") << 16 << 1 << 1 << 15;
    QTest::newRow("a rank on each of eight GPUs") << 64 << 8 << 1 << 7;
    QTest::newRow("four ranks that compute on the CPU") << 16 << 4 << 3 << 1;
    QTest::newRow("the CPU's cores all compute") << 16 << 4 << 4 << 1;
    QTest::newRow("more ranks than cores") << 2 << 8 << 1 << 1;
    QTest::newRow("more cores than help") << 256 << 2 << 1 << 16;
  }
  void loaderThreadsAreTheRemainingCoresPerRank() {
    QFETCH(int, cores);
    QFETCH(int, ranks);
    QFETCH(int, computing);
    QTEST(data::loaderThreadsOn(cores, {ranks, computing}), "expected");
  }
};

LOCKSTEP_TEST(TstPrefetcher)
#include "tst_prefetcher.moc"
