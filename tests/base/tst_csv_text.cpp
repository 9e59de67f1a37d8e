#include <QTest>

#include "engine/base/csv_text.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstCsvText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void spreadsheetsReadTextAsText_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("field");
    const auto row = [](const char* text, const char* field) {
      QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(field);
    };
    row("", "");
    row("run a", "run a");
    row("x, y", "\"x, y\"");
    row("6\" pipe", "\"6\"\" pipe\"");
    row("two\nlines", "\"two\nlines\"");
    row("=1+2", "'=1+2");
    row("=HYPERLINK(\"http://a\",\"b\")", "\"'=HYPERLINK(\"\"http://a\"\",\"\"b\"\")\"");
    row("@SUM(A1)", "'@SUM(A1)");
    row("+1-800", "'+1-800");
    row("-2+cmd|' /C calc'!A0", "'-2+cmd|' /C calc'!A0");
    row("\t=1", "'\t=1");
    row("-0.25", "-0.25");
    row("+1e3", "+1e3");
    row("-", "-");
  }
  void spreadsheetsReadTextAsText() {
    QFETCH(QString, text);
    QFETCH(QString, field);
    QCOMPARE(QString::fromStdString(base::csvText(text.toStdString())), field);
  }
};

LOCKSTEP_TEST(TstCsvText)
#include "tst_csv_text.moc"
