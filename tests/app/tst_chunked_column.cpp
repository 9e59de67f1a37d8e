#include <QTest>

#include "app/models/chunked_column.h"
#include "tests/support/test_main.h"

using lockstep::app::ChunkedColumn;

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
};

LOCKSTEP_TEST(TstChunkedColumn)
#include "tst_chunked_column.moc"
