#include <QStandardItemModel>
#include <QTest>
#include <limits>

#include "tests/support/test_main.h"
#include "widgets/comparison/table_text.h"

using namespace lockstep::widgets;

class TstTableText : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rowsOfASectionFollowIt() {
    QStandardItemModel model;
    model.setHorizontalHeaderLabels({QStringLiteral("Figure"), QStringLiteral("A")});
    auto* section = new QStandardItem(QStringLiteral("Masks"));
    section->appendRow(
        {new QStandardItem(QStringLiteral("AP")), new QStandardItem(QStringLiteral("0.5"))});
    section->setColumnCount(2);
    model.appendRow({section, new QStandardItem});
    QCOMPARE(tableText(model, TableFormat::Markdown),
             QStringLiteral("| Figure | A |\n| --- | --- |\n| Masks |  |\n| AP | 0.5 |\n"));
    QCOMPARE(tableText(model, TableFormat::Csv),
             QStringLiteral("Figure,A\r\nMasks,\r\nAP,0.5\r\n"));
  }

  /// What the formats write themselves is no part of a value.
  void namesMayHaveAnyCharacter() {
    QStandardItemModel model(1, 1);
    model.setHorizontalHeaderLabels({QStringLiteral("a,b")});
    model.setItem(0, 0, new QStandardItem(QStringLiteral("say \"x\" | y")));
    QCOMPARE(tableText(model, TableFormat::Csv),
             QStringLiteral("\"a,b\"\r\n\"say \"\"x\"\" | y\"\r\n"));
    QVERIFY(
        tableText(model, TableFormat::Markdown).endsWith(QStringLiteral("| say \"x\" \\| y |\n")));
  }

  /// Other programs read them, whatever they are shown as.
  void numbersAreNumbersInCsv() {
    QStandardItemModel model(1, 4);
    model.setHorizontalHeaderLabels(
        {QStringLiteral("a"), QStringLiteral("b"), QStringLiteral("c"), QStringLiteral("d")});
    const QVariant figures[] = {0.9f, 1009.25, std::numeric_limits<double>::quiet_NaN(),
                                qulonglong{1009}};
    for (int column = 0; column < 4; ++column) {
      model.setItem(0, column, new QStandardItem(QStringLiteral("≈ 1,009 px²")));
      model.item(0, column)->setData(figures[column], kFigureRole);
    }
    QCOMPARE(tableText(model, TableFormat::Csv),
             QStringLiteral("a,b,c,d\r\n0.9,1009.25,,1009\r\n"));
    QVERIFY(tableText(model, TableFormat::Markdown).contains(QStringLiteral("≈ 1,009 px²")));
  }

  void ofVeryManyRowsTheFirstAreCopied() {
    QStandardItemModel model(kMostCopiedRows + 1, 1);
    QCOMPARE(tableText(model, TableFormat::Csv).count(u'\n'), kMostCopiedRows + 1);
  }

  void rowsWithNamesBeginWithThem() {
    QStandardItemModel model(1, 1);
    model.setHorizontalHeaderLabels({QStringLiteral("dog")});
    model.setVerticalHeaderLabels({QStringLiteral("cat")});
    model.setItem(0, 0, new QStandardItem(QStringLiteral("3")));
    QCOMPARE(tableText(model, TableFormat::Csv), QStringLiteral(",dog\r\ncat,3\r\n"));
  }
};

LOCKSTEP_TEST(TstTableText)
#include "tst_table_text.moc"
