#include <QTest>

#include "app/models/line_difference.h"
#include "tests/support/test_main.h"

using lockstep::app::lineDifference;

class TstLineDifference : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linesAreToldWithTheirNumbers_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("told");
    const auto row = [](const char* name, const char* before, const char* after, const char* told) {
      QTest::newRow(name) << QString::fromUtf8(before) << QString::fromUtf8(after)
                          << QString::fromUtf8(told);
    };
    row("the same", "a\nb\n", "a\nb\n", "");
    row("changed", "a\nb\nc\n", "a\nB\nc\n", "   2 − b\n   2 + B");
    row("added", "a\nc\n", "a\nb\nc\n", "   2 + b");
    row("removed", "a\nb\nc\n", "a\nc\n", "   2 − b");
    row("two places", "a\nb\nc\nd\ne", "x\nb\nc\nd\ny", "   1 − a\n   1 + x\n   5 − e\n   5 + y");
    row("from nothing", "", "a", "   1 − \n   1 + a");
  }
  void linesAreToldWithTheirNumbers() {
    QFETCH(QString, before);
    QFETCH(QString, after);
    QTEST(lineDifference(before, after), "told");
  }

  void longOnesAreCut() {
    const QString told = lineDifference(QStringLiteral("x\n").repeated(50), {}, 10);
    QCOMPARE(told.count(QLatin1Char('\n')), 10);
    QVERIFY(told.endsWith(QStringLiteral("more lines")));
  }

  void veryLongOnesTakeNoMemory() {
    QString before, after;
    for (int i = 0; i < 20000; ++i) {
      before += QStringLiteral("a%1\n").arg(i);
      after += QStringLiteral("b%1\n").arg(i);
    }
    QVERIFY(lineDifference(before, after).endsWith(QStringLiteral("more lines")));
  }
};

LOCKSTEP_TEST(TstLineDifference)
#include "tst_line_difference.moc"
