#include <limits>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"

using namespace lockstep;
using namespace lockstep::widgets;

class TstImageLosses : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private:
  QComboBox* sort() {
    for (auto* combo : view_->findChildren<QComboBox*>())
      if (combo->accessibleName() == QStringLiteral("Sort images")) return combo;
    return nullptr;
  }
  QStringList names() {
    QStringList names;
    for (int i = 0; i < strip()->count(); ++i)
      names << strip()->toolTipOf(i).section(u'\n', 0, 0).remove(QStringLiteral(".png"));
    return names;
  }
  QString nameOf(int place) {
    return QString::fromStdString(dataset_->images()[static_cast<std::size_t>(place)].fileName)
        .remove(QStringLiteral(".png"));
  }
  static ImageLosses losses(double first, double second, double third, double fourth) {
    return {{ImageId{1}, first}, {ImageId{2}, second}, {ImageId{3}, third}, {ImageId{4}, fourth}};
  }

 private Q_SLOTS:
  void init() { openPage(); }

  void imagesAreSortedByTheLossOfTheShownCheckpoint() {
    view_->setImageLosses(10, losses(0.5, 2, 1, std::numeric_limits<double>::quiet_NaN()));
    view_->setImageLosses(20, losses(3, 2, 1, 0));
    QTRY_VERIFY(view_->isReady());
    const int item = sort()->findText(QStringLiteral("Highest loss first"));
    sort()->setFocus();
    while (sort()->currentIndex() < item) QTest::keyClick(sort(), Qt::Key_Down);
    // What is not finite is the worst.
    QTRY_COMPARE(names(), (QStringList{nameOf(3), nameOf(1), nameOf(2), nameOf(0)}));
    QVERIFY(strip()->toolTipOf(1).endsWith(QStringLiteral("\nvalidation loss 2.000")));
    view_->setFocus();
    QTest::keyClick(view_.get(), Qt::Key_Period);
    QTRY_COMPARE(names(), (QStringList{nameOf(0), nameOf(1), nameOf(2), nameOf(3)}));
  }

  /// As of results of another program.
  void withoutLossesImagesAreNotSortedByThem() {
    const int item = sort()->findText(QStringLiteral("Highest loss first"));
    const auto canBeChosen = [&] {
      return sort()->model()->flags(sort()->model()->index(item, 0)).testFlag(Qt::ItemIsEnabled);
    };
    QVERIFY(!canBeChosen());
    view_->setImageLosses(10, losses(0.5, 2, 1, 1));
    QVERIFY(canBeChosen());
    view_->setDataset(dataset_, folder_->path());
    QVERIFY(!canBeChosen());
  }

  void theHistoryHasTheLossAlsoWhereTheImageWasNotPredicted() {
    givePredictions(10);
    view_->setImageLosses(10, losses(0.5, 2, 1, 1));
    view_->setImageLosses(20, losses(0.25, 2, 1, 1));
    auto* history = view_->findChild<ImageHistoryTable*>();
    QTRY_COMPARE(history->rowCount(), 2);
    const auto cell = [&](int row, int column) { return history->item(row, column)->text(); };
    QTRY_COMPARE(cell(0, ImageHistoryTable::TruePositives), QStringLiteral("2"));
    QCOMPARE(cell(0, ImageHistoryTable::Loss), QStringLiteral("0.500"));
    QCOMPARE(cell(1, ImageHistoryTable::TruePositives), QStringLiteral("–"));
    QCOMPARE(cell(1, ImageHistoryTable::Loss), QStringLiteral("0.250"));
    view_->forgetAfter(10);
    QTRY_COMPARE(history->rowCount(), 1);
  }
};

LOCKSTEP_TEST(TstImageLosses)
#include "tst_image_losses.moc"
