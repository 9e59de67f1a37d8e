#include <QAbstractItemModelTester>
#include <QLocale>
#include <QSignalSpy>
#include <QTest>
#include <algorithm>
#include <cmath>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/made_pairs.h"
#include "widgets/comparison/paired_object_model.h"
#include "widgets/comparison/roomy_delegate.h"
#include "widgets/instances/matched_pair.h"
#include "widgets/jobs/jobs.h"

using namespace lockstep;
using namespace lockstep::widgets;

class TstPairedObjectModel : public QObject {
  Q_OBJECT

 private:
  tests::MadePairs made_{4};
  std::shared_ptr<const coco::Dataset> dataset_ = std::make_shared<coco::Dataset>(made_.dataset);
  PairedObjectModel::Objects objects_ = std::make_shared<std::vector<PairedObject>>(
      MatchedPair(made_.dataset, made_.first, made_.second, {coco::IouType::Box}, 0.5)
          .objectsAt(0));

 private Q_SLOTS:
  void aRowSaysHowBothFindTheObject() {
    PairedObjectModel model;
    QAbstractItemModelTester tester(&model);
    model.setObjects(dataset_, objects_);
    model.setFinders({Finders::OnlySecond});
    int row = 0;  // that A does not take for another class either
    while (row < model.rowCount() && model.objectAt(row).predicted[0] >= 0) ++row;
    QVERIFY(row < model.rowCount());
    const PairedObject& object = model.objectAt(row);
    const auto text = [&](int column) { return model.index(row, column).data().toString(); };
    QCOMPARE(text(PairedObjectModel::FirstClass), QStringLiteral("–"));
    QCOMPARE(text(PairedObjectModel::SecondClass), text(PairedObjectModel::Class));
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
    model.setFinders({Finders::Both});
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

  void othersKeepTheirDatasetAsTheObjectsGo() {
    PairedObjectModel model;
    QAbstractItemModelTester tester(&model);
    model.setOthers(dataset_, objects_);
    model.sort(PairedObjectModel::Image);
    model.setObjects(nullptr, nullptr);
    QCOMPARE(model.rowCount(), static_cast<int>(objects_->size()));
    QCOMPARE(model.index(0, PairedObjectModel::Image).data().toString(),
             QString::fromStdString(dataset_->images()[model.objectAt(0).imageIndex].fileName));
    model.setOthers(nullptr, nullptr);
    QCOMPARE(model.rowCount(), 0);
  }

  void findersThatAreListedAreNotListedAgain() {
    PairedObjectModel model;
    model.setObjects(dataset_, objects_);
    model.setFinders({Finders::Both});
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.setFinders({Finders::Both});
    QCOMPARE(reset.count(), 0);
    model.setOthers(dataset_, objects_);
    model.setFinders({Finders::Both});
    QCOMPARE(reset.count(), 2);
    QCOMPARE(model.rowCount(), model.countOf({Finders::Both}));
  }

  /// Of class, size and score, each by itself and together.
  void theFilterLeavesWhatItSays() {
    PairedObjectModel model;
    QAbstractItemModelTester tester(&model);
    model.setObjects(dataset_, objects_);
    const FinderSet all{Finders::Both, Finders::OnlyFirst, Finders::OnlySecond, Finders::Neither};
    model.setFinders(all);
    const int unfiltered = model.rowCount();
    QCOMPARE(unfiltered, static_cast<int>(objects_->size()));
    const CategoryId category = dataset_->categories().front().id;
    int before = unfiltered;
    for (const ObjectFilter& filter :
         {ObjectFilter{category}, ObjectFilter{category, coco::ObjectSize::Small},
          ObjectFilter{category, coco::ObjectSize::Small, 0.6}}) {
      model.setFilter(filter);
      const int left = static_cast<int>(std::ranges::count_if(*objects_, [&](const auto& object) {
        const bool isSure = object.finds[0].score >= 0.6F || object.finds[1].score >= 0.6F;
        return object.category == category &&
               (filter.size == coco::ObjectSize::All || object.areaPx <= 32 * 32) &&
               (filter.leastScore == 0 || isSure);
      }));
      QVERIFY(left > 0 && left < before);
      QCOMPARE(model.rowCount(), left);
      QCOMPARE(model.countOf(all), left);
      QCOMPARE(model.countUnfiltered(), unfiltered);
      before = left;
    }
  }

  void namesAreShortenedByWhatAllShare() {
    const auto shortOf = [&](std::vector<std::string> names) {
      std::vector<coco::Image> images;
      for (const std::string& name : names)
        images.push_back({ImageId{static_cast<std::int64_t>(images.size())}, name, 10, 10});
      PairedObjectModel model;
      model.setOthers(std::make_shared<coco::Dataset>(
                          coco::Dataset::fromParts(images, dataset_->categories(), {}, "made")),
                      std::make_shared<std::vector<PairedObject>>(1));
      return model.index(0, PairedObjectModel::Image).data(kShortTextRole).toString();
    };
    QCOMPARE(shortOf({"video2image100.jpg", "video2image120.jpg"}), QStringLiteral("…100.jpg"));
    QCOMPARE(shortOf({"000000012.jpg", "000000345.jpg"}), QStringLiteral("…012.jpg"));
    QCOMPARE(shortOf({"a.jpg", "b.jpg"}), QString());
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
