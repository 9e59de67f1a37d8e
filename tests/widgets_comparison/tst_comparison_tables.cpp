#include <QTest>
#include <QTreeWidget>

#include "tests/support/test_main.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/table_text.h"

using namespace lockstep::widgets;

namespace {

std::vector<FigureSection> sections(int images) {
  const std::vector<ComparedFigure> figures{{QStringLiteral("AP"), 0.5, 0.625},
                                            {QStringLiteral("AP50"), 0.75, 0.5}};
  return {{QStringLiteral("common"), QStringLiteral("On %1 images").arg(images), {}, figures},
          {QStringLiteral("logged"), QStringLiteral("Logged"), {}, figures}};
}

}  // namespace

class TstComparisonTables : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void newsLeaveWhatIsFoldedAndChosen() {
    ComparisonTables tables;
    tables.setFigures(sections(1));
    auto* tree = qobject_cast<QTreeWidget*>(tables.widget(0));
    QVERIFY(tree);
    tree->topLevelItem(0)->setExpanded(false);
    tree->setCurrentItem(tree->topLevelItem(1)->child(1));
    tables.setFigures(sections(2));
    QCOMPARE(tree->topLevelItem(0)->text(0), QStringLiteral("On 2 images"));
    QVERIFY(!tree->topLevelItem(0)->isExpanded());
    QVERIFY(tree->topLevelItem(1)->isExpanded());
    QCOMPARE(tree->currentItem(), tree->topLevelItem(1)->child(1));
  }

  void aDifferenceIsNeverWrittenAsZero() {
    ComparisonTables tables;
    tables.setFigures({{QStringLiteral("common"),
                        QStringLiteral("Common"),
                        {},
                        {{QStringLiteral("AP"), 0.00012, 0.00009},
                         {QStringLiteral("APm"), 0.5, 0.5},
                         {QStringLiteral("APl"), 0.5, 0.4999}}}});
    const auto* section = qobject_cast<QTreeWidget*>(tables.widget(0))->topLevelItem(0);
    QCOMPARE(section->child(0)->text(3), QStringLiteral("≈"));
    QCOMPARE(section->child(1)->text(3), QStringLiteral("="));
    QCOMPARE(section->child(2)->text(3), QStringLiteral("▼ -0.0001"));
  }

  void figuresAreCopiedAsNumbers() {
    ComparisonTables tables;
    tables.setFigures({sections(1)[0]});
    const QString text = tableText(*tables.shownTable()->model(), TableFormat::Csv);
    QVERIFY2(text.contains(QStringLiteral("\r\nAP,0.5,0.625,0.125\r\nAP50,0.75,0.5,-0.25\r\n")),
             qPrintable(text));
  }
};

LOCKSTEP_TEST(TstComparisonTables)
#include "tst_comparison_tables.moc"
