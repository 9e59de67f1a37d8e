#include <QSignalSpy>
#include <QTest>
#include <array>

#include "tests/support/test_main.h"
#include "widgets/comparison/error_table.h"

using namespace lockstep;
using widgets::ErrorTable;

class TstErrorTable : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Neither its count, nor what it costs, nor the sums.
  void aZeroLeadsNowhere() {
    std::array<coco::ErrorCosts, 2> both{};
    both[1].types[1].count = 3;
    both[1].falsePositives.count = 3;
    ErrorTable table;
    table.setErrors(both);
    table.resize(800, 400);
    table.show();
    QVERIFY(QTest::qWaitForWindowExposed(&table));
    QSignalSpy chosen(&table, &ErrorTable::errorChosen);
    const auto click = [&table](int row, int column) {
      const QRect cell = table.visualRect(table.model()->index(row, column));
      QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, cell.center());
    };
    const int ofFirst = 1, ofSecond = 2, costOfFirst = 3;
    for (const int column : {0, ofFirst, ofSecond}) click(0, column);
    for (const int column : {ofFirst, costOfFirst}) click(1, column);
    click(static_cast<int>(coco::kErrorTypeCount), ofSecond);
    QCOMPARE(chosen.count(), 0);
    click(1, ofSecond);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].toInt(), 1);
    QCOMPARE(chosen[0][1].value<coco::ErrorType>(), static_cast<coco::ErrorType>(1));
  }
};

LOCKSTEP_TEST(TstErrorTable)
#include "tst_error_table.moc"
