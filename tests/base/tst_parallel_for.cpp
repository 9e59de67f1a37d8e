#include <QTest>
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/parallel_for.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstParallelFor : public QObject {
  Q_OBJECT

 private:
  using Chunks = std::vector<std::pair<std::size_t, std::size_t>>;

  static Chunks chunksOf(std::size_t count, std::size_t size, int threads) {
    std::mutex mutex;
    Chunks chunks;
    base::parallelForChunks(count, size, threads, [&](std::size_t begin, std::size_t end) {
      const std::scoped_lock lock(mutex);
      chunks.emplace_back(begin, end);
    });
    std::ranges::sort(chunks);
    return chunks;
  }

 private Q_SLOTS:
  void eachIndexIsWorkedOnOnce() {
    for (const int threads : {0, 1, 3, 200}) {
      std::vector<int> calls(100);
      base::parallelFor(calls.size(), threads, [&](std::size_t i) { ++calls[i]; });
      QCOMPARE(calls, std::vector<int>(100, 1));
    }
    base::parallelFor(0, 0, [](std::size_t) { QFAIL("there is nothing to work on"); });
  }

  void theFailureOfTheLowestIndexIsThrown() {
    std::string what;
    try {
      base::parallelFor(50, 4, [](std::size_t i) {
        if (i >= 7) throw std::runtime_error(std::to_string(i));
      });
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    QCOMPARE(what, std::string("7"));
  }

  void chunksCoverAllOnce() {
    for (const int threads : {0, 1, 3}) {
      QVERIFY(chunksOf(0, 4, threads).empty());
      QVERIFY((chunksOf(3, 4, threads) == Chunks{{0, 3}}));
      QVERIFY((chunksOf(4, 4, threads) == Chunks{{0, 4}}));
      QVERIFY((chunksOf(9, 4, threads) == Chunks{{0, 4}, {4, 8}, {8, 9}}));
    }
  }
};

LOCKSTEP_TEST(TstParallelFor)
#include "tst_parallel_for.moc"
