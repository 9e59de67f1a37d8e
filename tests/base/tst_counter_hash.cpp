#include <QTest>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <set>

#include "engine/base/counter_hash.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstCounterHash : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void mixBitsIsSplitmix64() {
    // First outputs of the published splitmix64 generator started at 0: its state is a multiple of
    // the golden gamma.
    QCOMPARE(base::mixBits(0), std::uint64_t{0xe220a8397b1dcdafULL});
    QCOMPARE(base::mixBits(0x9e3779b97f4a7c15ULL), std::uint64_t{0x6e789e6aa1b965f4ULL});
    QCOMPARE(base::mixBits(2 * 0x9e3779b97f4a7c15ULL), std::uint64_t{0x06c45d188009454fULL});
  }

  void orderOfKeysMatters() {
    QVERIFY(base::counterHash({1, 2}) != base::counterHash({2, 1}));
    QVERIFY(base::counterHash({1}) != base::counterHash({1, 0}));
  }

  void neighbouringKeysDoNotCollide() {
    std::set<std::uint64_t> seen;
    for (std::uint64_t image = 0; image < 200; ++image) {
      for (std::uint64_t epoch = 0; epoch < 100; ++epoch) {
        seen.insert(base::counterHash({7, image, 2, epoch}));
      }
    }
    QCOMPARE(seen.size(), std::size_t{20000});
  }

  void oneBitOfAKeyChangesHalfTheBits() {
    double changed = 0;
    int cases = 0;
    for (std::uint64_t key = 0; key < 100; ++key) {
      for (int bit = 0; bit < 64; ++bit, ++cases) {
        changed += std::popcount(base::counterHash({3, key}) ^
                                 base::counterHash({3, key ^ (std::uint64_t{1} << bit)}));
      }
    }
    QVERIFY(std::abs(changed / cases - 32) < 0.5);
  }

  void uniformsFillTheUnitInterval() {
    double sum = 0, sumOfSquares = 0, least = 1, most = 0;
    const int count = 100000;
    for (std::uint64_t key = 0; key < count; ++key) {
      const double value = base::counterUniform({1, key});
      sum += value;
      sumOfSquares += value * value;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    QVERIFY(least >= 0 && least < 0.001);
    QVERIFY(most < 1 && most > 0.999);
    QVERIFY(std::abs(sum / count - 0.5) < 0.005);
    QVERIFY(std::abs(sumOfSquares / count - 1.0 / 3) < 0.005);
  }
};

LOCKSTEP_TEST(TstCounterHash)

#include "tst_counter_hash.moc"
