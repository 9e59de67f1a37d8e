#include <QAbstractItemModelTester>
#include <QFontMetrics>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTest>
#include <limits>

#include "tests/support/test_main.h"
#include "widgets/image_view/instance_model.h"
#include "widgets/image_view/instance_table.h"
#include "widgets/theme.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

CanvasScene::Instance instance(Verdict verdict, std::optional<coco::ErrorType> error, double score,
                               double iou, double area) {
  CanvasScene::Instance made;
  made.className = QStringLiteral("droplet");
  made.facts.verdict = verdict;
  made.facts.error = error;
  made.facts.score = score;
  made.facts.iou = iou;
  made.facts.areaPx = area;
  return made;
}

std::shared_ptr<const CanvasScene> scene() {
  auto made = std::make_shared<CanvasScene>();
  const double none = std::numeric_limits<double>::quiet_NaN();
  made->instances = {
      instance(Verdict::Missed, std::nullopt, none, 0.1, 1204),
      instance(Verdict::FalsePositive, coco::ErrorType::Localisation, 0.61, 0.31, 988),
      instance(Verdict::TruePositive, std::nullopt, 0.5, 0.72, 13100)};
  return made;
}

}  // namespace

class TstInstanceModel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theModelPassesQtsModelTester() {
    InstanceModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setScene(scene());
    QCOMPARE(model.rowCount(), 3);
    model.setScene(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  /// What the table shows: sorted, while the images change.
  void theTablesModelPassesQtsModelTester() {
    InstanceTable table;
    const QAbstractItemModelTester tester(table.model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    table.resize(500, 300);
    table.show();
    table.setScene(scene());
    QCOMPARE(table.model()->rowCount(), 3);
    for (int column = 0; column < InstanceModel::kColumns; ++column)
      for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder})
        table.sortByColumn(column, order);
    auto other = std::make_shared<CanvasScene>(*scene());
    other->instances.push_back(instance(Verdict::TruePositive, std::nullopt, 0.9, 0.8, 50));
    table.showChosen(1);
    table.setScene(other);
    QCOMPARE(table.model()->rowCount(), 4);
    table.setScene(nullptr);
    QCOMPARE(table.model()->rowCount(), 0);
  }

  void rowsSayWhatTheInstancesAre() {
    InstanceModel model;
    model.setScene(scene());
    const auto text = [&](int row, int column) {
      return model.index(row, column).data().toString();
    };
    QCOMPARE(text(0, InstanceModel::Class), QStringLiteral("droplet"));
    QCOMPARE(text(0, InstanceModel::Score), QStringLiteral("–"));
    QCOMPARE(text(0, InstanceModel::Error), QStringLiteral("missed"));
    QCOMPARE(text(1, InstanceModel::Score), QStringLiteral("0.61"));
    QCOMPARE(text(1, InstanceModel::Iou), QStringLiteral("0.31"));
    QCOMPARE(text(1, InstanceModel::Error), QStringLiteral("localisation"));
    QCOMPARE(text(2, InstanceModel::Area), QStringLiteral("13,100"));
    QCOMPARE(text(2, InstanceModel::Error), QString());
  }

  void anObjectWithoutOverlapHasNoIou() {
    auto made = std::make_shared<CanvasScene>();
    const double none = std::numeric_limits<double>::quiet_NaN();
    made->instances = {instance(Verdict::Missed, std::nullopt, none, 0, 900),
                       instance(Verdict::FalsePositive, coco::ErrorType::Background, 0.6, 0, 900)};
    InstanceModel model;
    model.setScene(made);
    QCOMPARE(model.index(0, InstanceModel::Iou).data().toString(), QStringLiteral("–"));
    QCOMPARE(model.index(1, InstanceModel::Iou).data().toString(), QStringLiteral("0.00"));
    const auto tip = model.headerData(InstanceModel::Iou, Qt::Horizontal, Qt::ToolTipRole);
    QVERIFY(tip.toString().contains(QStringLiteral("highest with a detection that is shown")));
  }

  /// A cat on a dog: none of its class is there, but an object is.
  void theIouIsThatWithTheObjectBesideIt() {
    auto made = std::make_shared<CanvasScene>();
    made->instances = {
        instance(Verdict::FalsePositive, coco::ErrorType::Classification, 0.6, 0, 900)};
    made->instances[0].objectName = QStringLiteral("dog");
    made->instances[0].facts.object = 0;
    made->instances[0].facts.objectIou = 0.95;
    InstanceModel model;
    model.setScene(made);
    QCOMPARE(model.index(0, InstanceModel::Iou).data().toString(), QStringLiteral("0.95"));
    QCOMPARE(model.index(0, InstanceModel::Object).data().toString(), QStringLiteral("dog 0.95"));
  }

  void theAreaIsHiddenBeforeTheClassIsCut() {
    for (const int width : {300, 332, 420}) {
      InstanceTable table;
      table.resize(width, 200);
      table.setScene(scene());
      table.show();
      const int name =
          QFontMetrics(widgets::interfaceFont(12)).horizontalAdvance(QStringLiteral("droplet"));
      QVERIFY2(table.columnWidth(InstanceModel::Class) >= name + 10,
               qPrintable(QString::number(width)));
      QVERIFY(table.columnWidth(InstanceModel::Class) >=
              table.horizontalHeader()->sectionSizeHint(InstanceModel::Class));
    }
  }

  void whatIsOverIsSharedByClassAndObject() {
    const auto several = std::make_shared<CanvasScene>(*scene());
    several->hasSeveralClasses = true;
    InstanceTable table;
    table.resize(1000, 200);
    table.setScene(several);
    table.show();
    const int ofClass = table.columnWidth(InstanceModel::Class);
    const int ofObject = table.columnWidth(InstanceModel::Object);
    QVERIFY2(ofObject > 150 && ofClass < 2 * ofObject,
             qPrintable(QStringLiteral("%1 and %2").arg(ofClass).arg(ofObject)));
  }

  void neighboursFollowTheSortOrder() {
    InstanceTable table;
    table.setScene(scene());
    // The best score first, instances without a score last.
    QCOMPARE(table.neighbour(-1, 1), 1);
    QCOMPARE(table.neighbour(1, 1), 2);
    QCOMPARE(table.neighbour(2, 1), 0);
    table.sortByColumn(InstanceModel::Mark, Qt::AscendingOrder);
    QCOMPARE(table.neighbour(-1, 1), 0);
    QCOMPARE(table.neighbour(0, 1), 1);
    QCOMPARE(table.neighbour(2, 1), 2);
  }

  void onlyTheUsersChoiceIsSignalled() {
    InstanceTable table;
    table.setScene(scene());
    QSignalSpy chosen(&table, &InstanceTable::instanceChosen);
    table.showChosen(1);
    QCOMPARE(chosen.size(), 0);
    QCOMPARE(table.currentIndex().row(), 0);
    table.setCurrentIndex(table.model()->index(2, 0));
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(chosen[0][0].toInt(), 0);
    table.showChosen(-1);
    QVERIFY(!table.currentIndex().isValid());
    QCOMPARE(chosen.size(), 1);
  }
};

LOCKSTEP_TEST(TstInstanceModel)
#include "tst_instance_model.moc"
