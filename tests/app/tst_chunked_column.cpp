#include <QTest>

#include "app/metrics/chunked_column.h"
#include "app/metrics/step_column.h"
#include "tests/support/test_main.h"

using lockstep::app::ChunkedColumn;
using lockstep::app::StepColumn;

class TstChunkedColumn : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void keepsEveryValueOverBlocks() {
    ChunkedColumn<int> column;
    for (int i = 0; i < 10000; ++i) column.append(i * 3);
    QCOMPARE(column.size(), std::size_t{10000});
    for (int i = 0; i < 10000; ++i) QCOMPARE(column[i], i * 3);
    QCOMPARE(column.back(), 29997);
  }

  void truncatingFreesBlocksAndAppendingContinues() {
    ChunkedColumn<int> column;
    for (int i = 0; i < 10000; ++i) column.append(i);
    const std::size_t before = column.bytes();
    column.truncate(4096);
    QVERIFY(column.bytes() < before);
    column.append(-1);
    QCOMPARE(column.size(), std::size_t{4097});
    QCOMPARE(column[4095], 4095);
    QCOMPARE(column[4096], -1);
  }

  void fewValuesTakeLittleMemory() {
    ChunkedColumn<float> column;
    QCOMPARE(column.bytes(), std::size_t{0});
    for (int i = 0; i < 64; ++i) column.append(static_cast<float>(i));
    QCOMPARE(column.bytes(), std::size_t{64 * 4});
    const ChunkedColumn<float> copy = column;
    column.append(-1);
    QCOMPARE(column.bytes(), std::size_t{4096 * 4});
    QCOMPARE(column[63], 63.F);
    QCOMPARE(column[64], -1.F);
    QCOMPARE(copy.size(), std::size_t{64});
    QCOMPARE(copy.back(), 63.F);
    column.truncate(10);
    column.append(-2);
    QCOMPARE(column.back(), -2.F);
    QCOMPARE(copy[10], 10.F);
  }

  void aCopyKeepsWhatIsReplacedInTheOther() {
    ChunkedColumn<int> column;
    for (int i = 0; i < 5000; ++i) column.append(i);
    const ChunkedColumn<int> copy = column;
    column.truncate(4500);
    for (int i = 4500; i < 9000; ++i) column.append(-i);
    QCOMPARE(copy.size(), std::size_t{5000});
    for (int i = 0; i < 5000; ++i) QCOMPARE(copy[i], i);
    QCOMPARE(column[4500], -4500);
  }

  void aCopyOfStepsKeepsThemToo_data() {
    QTest::addColumn<qint64>("last");
    QTest::newRow("equally spaced") << qint64{5};
    QTest::newRow("distances") << qint64{7};
    QTest::newRow("whole") << qint64{1} + (qint64{1} << 40);
  }
  void aCopyOfStepsKeepsThemToo() {
    QFETCH(qint64, last);
    StepColumn column;
    for (const std::int64_t step : {std::int64_t{1}, std::int64_t{3}, std::int64_t{last}})
      column.append(step);
    const StepColumn copy = column;
    column.truncate(2);
    column.append(last + 1);
    column.append(last + 9);
    QCOMPARE(copy.size(), std::size_t{3});
    QCOMPARE(copy[0], std::int64_t{1});
    QCOMPARE(copy[2], std::int64_t{last});
    QCOMPARE(column[2], std::int64_t{last + 1});
  }
};

LOCKSTEP_TEST(TstChunkedColumn)
#include "tst_chunked_column.moc"
