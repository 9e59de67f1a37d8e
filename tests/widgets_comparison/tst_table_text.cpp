#include <QStandardItemModel>
#include <QTest>

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
