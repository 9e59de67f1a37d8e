#include <QTest>

#include "app/documents/line_difference.h"
#include "tests/support/test_main.h"

using lockstep::app::lineDifference;

class TstLineDifference : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void linesAreListedWithTheirNumbers_data() {
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("after");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* name, const char* before, const char* after,
                        const char* expected) {
      QTest::newRow(name) << QString::fromUtf8(before) << QString::fromUtf8(after)
                          << QString::fromUtf8(expected);
    };
    row("the same", "a\nb\n", "a\nb\n", "");
    row("changed", "a\nb\nc\n", "a\nB\nc\n", "   2 − b\n   2 + B");
    row("added", "a\nc\n", "a\nb\nc\n", "   2 + b");
    row("removed", "a\nb\nc\n", "a\nc\n", "   2 − b");
    row("two places", "a\nb\nc\nd\ne", "x\nb\nc\nd\ny", "   1 − a\n   1 + x\n   5 − e\n   5 + y");
    row("from nothing", "", "a", "   1 − \n   1 + a");
  }
  void linesAreListedWithTheirNumbers() {
    QFETCH(QString, before);
    QFETCH(QString, after);
    QTEST(lineDifference(before, after), "expected");
  }

  void longDifferencesAreCut() {
    const QString text = lineDifference(QStringLiteral("x\n").repeated(50), {}, 10);
    QCOMPARE(text.count(QLatin1Char('\n')), 10);
    QVERIFY(text.endsWith(QStringLiteral("more lines")));
  }

  void veryLongDifferencesNeedLittleMemory() {
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
