#include <QAbstractItemModelTester>
#include <QLocale>
#include <QSignalSpy>
#include <QTest>
#include <cmath>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_pairs.h"
#include "widgets/comparison/paired_object_model.h"
#include "widgets/jobs/jobs.h"

using namespace lockstep;
using namespace lockstep::widgets;

class TstPairedObjectModel : public QObject {
  Q_OBJECT

 private:
  tests::MadePairs made_{4};
  std::shared_ptr<const coco::Dataset> dataset_ = std::make_shared<coco::Dataset>(made_.dataset);
  PairedObjectModel::Objects objects_ = std::make_shared<std::vector<PairedObject>>(pairedObjects(
      made_.dataset, made_.first, made_.second, {coco::IouType::Box}, {.score = 0.0}));

 private Q_SLOTS:
  void aRowSaysHowBothFindTheObject() {
    PairedObjectModel model;
    QAbstractItemModelTester tester(&model);
    model.setObjects(dataset_, objects_);
    model.setFinders(Finders::OnlySecond);
    QVERIFY(model.rowCount() > 0);
    const PairedObject& object = model.objectAt(0);
    const auto text = [&](int column) { return model.index(0, column).data().toString(); };
    QCOMPARE(text(PairedObjectModel::FirstScore), QStringLiteral("–"));
    QCOMPARE(text(PairedObjectModel::FirstIou), QStringLiteral("–"));
    QCOMPARE(text(PairedObjectModel::SecondScore),
             QLocale().toString(object.finds[1].score, 'f', 3));
    QCOMPARE(text(PairedObjectModel::SecondIou), QLocale().toString(object.finds[1].iou, 'f', 2));
  }

  void rowsAreSortedAndTheCurrentOneStays() {
    PairedObjectModel model;
    QAbstractItemModelTester tester(&model);
    model.setObjects(dataset_, objects_);
    model.setFinders(Finders::Both);
    const int count = model.rowCount();
    QVERIFY(count > 2);
    const QPersistentModelIndex chosen(model.index(1, 0));
    const PairedObject before = model.objectAt(1);
    model.sort(PairedObjectModel::FirstIou, Qt::DescendingOrder);
    for (int row = 1; row < count; ++row)
      QVERIFY(model.objectAt(row).finds[0].iou <= model.objectAt(row - 1).finds[0].iou);
    QCOMPARE(model.objectAt(chosen.row()).imageIndex, before.imageIndex);
    QCOMPARE(model.objectAt(chosen.row()).annotation, before.annotation);
    model.sort(-1);
    QCOMPARE(chosen.row(), 1);
  }

  void classesAreSortedByTheirNames() {
    std::vector<coco::Category> categories = dataset_->categories();
    for (std::size_t i = 0; i < categories.size(); ++i)
      categories[i].name = std::to_string(categories.size() - i);
    PairedObjectModel model;
    model.setOthers(std::make_shared<coco::Dataset>(
                        coco::Dataset::fromParts(dataset_->images(), categories, {}, "made")),
                    objects_);
    model.sort(PairedObjectModel::Class);
    const auto nameAt = [&](int row) {
      return model.index(row, PairedObjectModel::Class).data().toString();
    };
    QCOMPARE(nameAt(0), QStringLiteral("1"));
    for (int row = 1; row < model.rowCount(); ++row) QVERIFY(nameAt(row - 1) <= nameAt(row));
  }

  void manyRowsAreSortedInTheBackground() {
    auto many = std::make_shared<std::vector<PairedObject>>();
    while (many->size() <= PairedObjectModel::kSortedAtOnce)
      many->insert(many->end(), objects_->begin(), objects_->end());
    PairedObjectModel model;
    QAbstractItemModelTester tester(&model);
    model.setOthers(dataset_, many);
    const QPersistentModelIndex chosen(model.index(1, 0));
    QSignalSpy moved(&model, &QAbstractItemModel::layoutChanged);
    model.sort(PairedObjectModel::Image, Qt::DescendingOrder);
    QCOMPARE(moved.count(), 0);
    QTRY_COMPARE(moved.count(), 1);
    const auto nameAt = [&](int row) {
      return dataset_->images()[model.objectAt(row).imageIndex].fileName;
    };
    for (int row = 1; row < model.rowCount(); ++row) QVERIFY(nameAt(row) <= nameAt(row - 1));
    QVERIFY(&model.objectAt(chosen.row()) == &(*many)[1]);
    // What is asked of rows that are not shown any more is dropped.
    model.sort(PairedObjectModel::Image, Qt::AscendingOrder);
    model.setOthers(dataset_, objects_);
    QVERIFY(jobs::waitForAll(std::chrono::seconds(30)));
    QCoreApplication::processEvents();
    QCOMPARE(moved.count(), 1);
    QCOMPARE(model.rowCount(), static_cast<int>(objects_->size()));
  }

  /// Whether by rising or by falling figures.
  void whatIsNotFoundIsLast() {
    PairedObjectModel model;
    auto all = std::make_shared<std::vector<PairedObject>>(*objects_);
    model.setOthers(dataset_, all);
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
      model.sort(PairedObjectModel::FirstScore, order);
      QVERIFY(!std::isnan(model.objectAt(0).finds[0].score));
      QVERIFY(std::isnan(model.objectAt(model.rowCount() - 1).finds[0].score));
    }
  }
};

LOCKSTEP_TEST(TstPairedObjectModel)
#include "tst_paired_object_model.moc"
