#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QComboBox>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>

#include "tests/support/test_main.h"
#include "widgets/comparison/confusion_view.h"

using namespace lockstep;
using namespace lockstep::widgets;

namespace {

/// Eighty classes, of which the 5th, 7th and 9th occur; as in COCO the background is the last.
constexpr std::size_t kClasses = 80, kCat = 5, kDog = 7, kCow = 9, kBackground = kClasses;

std::vector<coco::Category> categories() {
  std::vector<coco::Category> all;
  for (std::size_t i = 0; i < kClasses; ++i)
    all.push_back({CategoryId{static_cast<std::int64_t>(i + 1)}, "class" + std::to_string(i)});
  return all;
}

MatchedPair::Confusions confusions() {
  MatchedPair::Confusions both{coco::ConfusionMatrix(kClasses), coco::ConfusionMatrix(kClasses)};
  both[0].at(kCat, kCat) = 6;
  both[0].at(kCat, kDog) = 1;
  both[0].at(kCat, kBackground) = 1;
  both[0].at(kDog, kDog) = 4;
  both[0].at(kDog, kCat) = 3;
  both[0].at(kBackground, kDog) = 15;
  both[1].at(kCat, kCat) = 8;
  both[1].at(kDog, kDog) = 7;
  both[1].at(kCow, kDog) = 2;
  return both;
}

}  // namespace

class TstConfusionView : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<ConfusionView> view_;

  QString shown(int row, int column) const {
    return view_->model()->index(row, column).data().toString();
  }
  QTreeWidget* largest() const { return view_->findChild<QTreeWidget*>(); }

 private Q_SLOTS:
  void init() {
    view_ = std::make_unique<ConfusionView>();
    view_->resize(500, 500);
    view_->setConfusions(categories(), confusions(), 0.5);
    view_->show();
    QVERIFY(QTest::qWaitForWindowActive(view_.get()));
  }

  void classesWithoutInstancesAreHiddenUnlessAsked() {
    QAbstractItemModelTester tester(view_->model());
    QCOMPARE(view_->model()->rowCount(), 4);  // of A or of B, and the background
    QCOMPARE(view_->model()->headerData(2, Qt::Vertical).toString(), QStringLiteral("class9"));
    QCOMPARE(view_->model()->headerData(3, Qt::Horizontal).toString(),
             QStringLiteral("background"));
    auto* box = view_->findChild<QCheckBox*>();
    QCOMPARE(box->text(), QStringLiteral("77 empty classes"));
    QTest::mouseClick(box, Qt::LeftButton, {}, QPoint(8, box->height() / 2));
    QCOMPARE(view_->model()->rowCount(), 81);
    QCOMPARE(view_->model()->headerData(0, Qt::Vertical).toString(), QStringLiteral("class0"));
  }

  /// As sklearn's normalize="true" and "pred" of the same matrix.
  void sharesAreOfARowOrAColumn() {
    QCOMPARE(shown(0, 0), QStringLiteral("6"));
    view_->setUnit(ConfusionUnit::OfActual);
    QCOMPARE(shown(0, 0), QLocale().toString(0.75, 'f', 2));   // 6 of 8
    QCOMPARE(shown(0, 1), QLocale().toString(0.125, 'f', 2));  // 1 of 8
    QCOMPARE(shown(3, 1), QLocale().toString(1.0, 'f', 2));
    view_->setUnit(ConfusionUnit::OfPredicted);
    QCOMPARE(shown(0, 0), QLocale().toString(6 / 9.0, 'f', 2));
    QCOMPARE(shown(3, 1), QLocale().toString(0.75, 'f', 2));  // 15 of 20
    view_->setView(ComparedView::Difference);
    QCOMPARE(shown(0, 0), u'+' + QLocale().toString(1 - 6 / 9.0, 'f', 2));
  }

  void theLargestConfusionsAreListedAndOpen() {
    QCOMPARE(largest()->topLevelItemCount(), 2);
    QCOMPARE(largest()->topLevelItem(0)->text(0), QStringLiteral("class7"));
    QCOMPARE(largest()->topLevelItem(0)->text(1), QStringLiteral("class5"));
    QCOMPARE(largest()->topLevelItem(0)->text(2), QStringLiteral("3"));
    QSignalSpy chosen(view_.get(), &ConfusionView::cellChosen);
    const QRect row = largest()->visualItemRect(largest()->topLevelItem(0));
    QTest::mouseClick(largest()->viewport(), Qt::LeftButton, {}, row.center());
    QCOMPARE(chosen.count(), 1);
    const auto cell = chosen[0][0].value<ConfusionCell>();
    QCOMPARE(cell.actual, kDog);
    QCOMPARE(cell.predicted, kCat);
    QCOMPARE(cell.text, QStringLiteral("class7 predicted as class5"));
    view_->setView(ComparedView::Difference);
    QCOMPARE(largest()->topLevelItem(0)->text(2), QStringLiteral("-3"));
    QCOMPARE(largest()->topLevelItem(1)->text(2), QStringLiteral("+2"));
  }

  void aCellIsOfItsClassesWhateverIsHidden() {
    QSignalSpy chosen(view_.get(), &ConfusionView::cellChosen);
    auto* table = view_->findChild<QTableView*>();
    const auto click = [&](int row, int column) {
      const QRect cell = table->visualRect(view_->model()->index(row, column));
      QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
    };
    click(0, 3);
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(chosen[0][0].value<ConfusionCell>().actual, kCat);
    QCOMPARE(chosen[0][0].value<ConfusionCell>().predicted, kBackground);
    QCOMPARE(chosen[0][0].value<ConfusionCell>().text, QStringLiteral("class5 missed"));
    click(3, 3);  // no instance is on the background and predicted as it
    QCOMPARE(chosen.count(), 1);
  }
};

LOCKSTEP_TEST(TstConfusionView)
#include "tst_confusion_view.moc"
