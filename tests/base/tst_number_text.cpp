#include <QTest>
#include <limits>

#include "engine/base/number_text.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstNumberText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void numbersAreShort() {
    QCOMPARE(base::shortNumber(1.0 / 6), std::string("0.166667"));
    QCOMPARE(base::shortNumber(1.0 / 6, 3), std::string("0.167"));
    QCOMPARE(base::shortNumber(12), std::string("12"));
    QCOMPARE(base::shortNumber(1234567), std::string("1.23457e+06"));
  }

  void nonFiniteNumbersAreTheSameAsInJson() {
    const double infinity = std::numeric_limits<double>::infinity();
    QCOMPARE(base::shortNumber(std::numeric_limits<double>::quiet_NaN()), std::string("NaN"));
    QCOMPARE(base::shortNumber(infinity), std::string("Infinity"));
    QCOMPARE(base::shortNumber(-infinity), std::string("-Infinity"));
  }

  void whatRoundsToZeroHasNoMinus() {
    QCOMPARE(base::signedNumber(0.12864, 4), std::string("+0.1286"));
    QCOMPARE(base::signedNumber(-0.012, 3), std::string("-0.012"));
    QCOMPARE(base::signedNumber(-0.00004, 3), std::string("+0.000"));
    QCOMPARE(base::signedNumber(-0.0, 1), std::string("+0.0"));
  }

  void nounsAgreeWithTheirNumber() {
    QCOMPARE(base::counted(1, "image"), std::string("1 image"));
    QCOMPARE(base::counted(0, "validation image"), std::string("0 validation images"));
    QCOMPARE(base::counted(2, "class"), std::string("2 classes"));
    QCOMPARE(base::counted(2, "training batch"), std::string("2 training batches"));
    QCOMPARE(base::counted(2, "epoch"), std::string("2 epochs"));
    QCOMPARE(base::counted(3, "category"), std::string("3 categories"));
    QCOMPARE(base::plural(1, "class"), std::string("class"));
  }

  void bytesAreGibibytes() {
    QCOMPARE(base::gibibytes(1610612736.0), std::string("1.5 GiB"));
    QCOMPARE(base::gibibytes(0), std::string("0.0 GiB"));
  }
};

LOCKSTEP_TEST(TstNumberText)
#include "tst_number_text.moc"
