#include <QTest>
#include <cmath>
#include <limits>

#include "tests/support/test_main.h"
#include "widgets/curves/number_text.h"

using namespace lockstep::widgets;

class TstNumberText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void valuesHaveAFewDigits_data() {
    QTest::addColumn<double>("value");
    QTest::addColumn<QString>("text");
    QTest::newRow("loss") << 0.55234 << "0.552";
    QTest::newRow("zero") << 0.0 << "0.000";
    QTest::newRow("rate") << 0.00731 << "0.00731";
    QTest::newRow("tiny") << 1.04e-5 << "1.04e-05";
    QTest::newRow("tens") << 41.257 << "41.26";
    QTest::newRow("thousands") << 4125.7 << "4126";
    QTest::newRow("nan") << std::nan("") << "NaN";
    QTest::newRow("infinite") << std::numeric_limits<double>::infinity() << "Infinity";
  }
  void valuesHaveAFewDigits() {
    QFETCH(double, value);
    QFETCH(QString, text);
    QCOMPARE(valueText(value), text);
  }

  void durationsAreReadable_data() {
    QTest::addColumn<double>("seconds");
    QTest::addColumn<QString>("text");
    QTest::newRow("minutes") << 69.0 << "1:09";
    QTest::newRow("hours") << 7390.0 << "2:03:10";
    QTest::newRow("days") << 273600.0 << "3 d 4 h";
    QTest::newRow("negative") << -3.0 << "0:00";
  }
  void durationsAreReadable() {
    QFETCH(double, seconds);
    QFETCH(QString, text);
    QCOMPARE(durationText(seconds), text);
  }

  void stepsAreShortOnLongAxes() {
    QCOMPARE(xText(XAxis::Step, 120, 20), QStringLiteral("120"));
    QCOMPARE(xText(XAxis::Step, 60000, 20000), QStringLiteral("60k"));
    QCOMPARE(xText(XAxis::Step, 2500000, 1e6), QStringLiteral("2.5M"));
    QCOMPARE(xText(XAxis::Relative, 69), QStringLiteral("1:09"));
  }
};

LOCKSTEP_TEST(TstNumberText)
#include "tst_number_text.moc"
