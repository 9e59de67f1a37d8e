#include <QHeaderView>
#include <QLineEdit>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"
#include "widgets/image_view/checkpoint_curve.h"
#include "widgets/image_view/class_model.h"
#include "widgets/image_view/class_table.h"

using namespace lockstep;
using namespace lockstep::widgets;

/// From the figures to the errors that they count, and what is said where there are none.
class TstErrorFilters : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private:
  ClassTable* classes() { return view_->findChild<ClassTable*>(); }
  QComboBox* filter() { return combo("Images shown"); }
  void clickFigure(int row, ClassModel::Column column) {
    const QModelIndex cell = classes()->model()->index(row, column);
    classes()->scrollTo(cell);
    QTest::mouseClick(classes()->viewport(), Qt::LeftButton, {},
                      classes()->visualRect(cell).center());
  }
  QString pinned() {
    const auto chosen = view_->chosenInstance();
    return chosen ? verdictName(chosen->facts.verdict) + u' ' + chosen->className : QString();
  }
  QPushButton* button(const char* text) {
    for (auto* button : view_->findChildren<QPushButton*>())
      if (button->text() == QString::fromUtf8(text)) return button;
    return nullptr;
  }
  ValueSlider* slider(const char* title) {
    for (auto* slider : panel()->findChildren<ValueSlider*>())
      for (const QLabel* label : slider->findChildren<QLabel*>())
        if (label->text() == QString::fromUtf8(title)) return slider;
    return nullptr;
  }

 private Q_SLOTS:
  void init() {
    openPage();
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
  }

  void aClickOnTheMissedOnesOfAClassGoesThroughThem() {
    view_->setPredictions(10, {}, {ImageId{4}});  // both its objects are missed
    QTRY_VERIFY(view_->isReady());
    clickFigure(1, ClassModel::Missed);
    const QString star = QStringLiteral("false negative star");
    QTRY_COMPARE(view_->currentImage(), ImageId{2});
    QTRY_COMPARE(pinned(), star);
    QCOMPARE(strip()->count(), 2);
    QTest::keyClick(classes(), Qt::Key_N);
    QTRY_COMPARE(view_->currentImage(), ImageId{4});
    QTRY_COMPARE(pinned(), star);  // its disc is missed too
    QTest::keyClick(classes(), Qt::Key_N);
    QTRY_COMPARE(view_->currentImage(), ImageId{2});
    QTRY_VERIFY(hasLabelOfPage("From the first error again"));
  }

  void noErrorOfTheDataBeforeIsGoneTo() {
    view_->setPredictions(10, {}, {ImageId{4}});
    QTRY_VERIFY(view_->isReady());
    clickFigure(1, ClassModel::Missed);
    QTRY_COMPARE(view_->currentImage(), ImageId{2});
    QTRY_VERIFY(view_->isReady());
    QTest::keyClick(classes(), Qt::Key_N);  // all images are judged for it
    QVERIFY(!view_->isReady());
    view_->setDataset(dataset_, folder_->path());
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(view_->currentImage(), ImageId{1});
  }

  void aClickOnTheFalsePositivesShowsThem() {
    clickFigure(0, ClassModel::FalsePositives);
    QTRY_COMPARE(view_->currentImage(), ImageId{2});
    QTRY_COMPARE(pinned(), QStringLiteral("false positive disc"));
    QCOMPARE(strip()->count(), 1);
    QCOMPARE(filter()->currentText(), QStringLiteral("With false positives"));
  }

  void whereNoImageIsLeftTheFiltersCanBeCleared() {
    const int duplicate =
        filter()->findText(QStringLiteral("Errors: duplicate"), Qt::MatchStartsWith);
    filter()->setFocus();
    while (filter()->currentIndex() < duplicate) QTest::keyClick(filter(), Qt::Key_Down);
    QTRY_COMPARE(strip()->count(), 0);
    QVERIFY(strip()->isHidden());
    QVERIFY(hasLabelOfPage("No image has: errors of type duplicate"));
    QVERIFY(hasLabelOfPage("0 of 4 images match"));
    QTest::mouseClick(button("Clear filters"), Qt::LeftButton);
    QTRY_COMPARE(strip()->count(), 4);
    QVERIFY(strip()->isVisible() && !button("Clear filters")->isVisible());
  }

  void theTypesHaveTheirCounts() {
    const auto has = [this](const char* text) {
      return filter()->findText(QString::fromUtf8(text)) >= 0;
    };
    QTRY_VERIFY(has("Errors: background (1)"));
    QVERIFY(has("Errors: missed (1)") && has("Errors: localisation (0)"));
    panel()->stepScore(25);  // of the disc on image 1 and that on image 2 no more
    QTRY_VERIFY(has("Errors: background (0)"));
    QVERIFY(has("Errors: missed (2)"));
  }

  /// Image 2 has a false positive of the disc and misses a star.
  void figuresCountUnderTheOtherFilters() {
    const auto has = [this](const char* text) {
      return filter()->findText(QString::fromUtf8(text)) >= 0;
    };
    QTRY_VERIFY(has("Errors: background (1)") && has("Errors: missed (1)"));
    combo("Class on the images shown")->setCurrentIndex(1);
    QTRY_VERIFY(has("Errors: background (1)") && has("Errors: missed (0)"));
    const auto tipOfImage2 = [this] {
      for (int i = 0; i < strip()->count(); ++i)
        if (strip()->toolTipOf(i).startsWith(QStringLiteral("image2")))
          return strip()->toolTipOf(i);
      return QString();
    };
    QTRY_VERIFY2(tipOfImage2().contains(QStringLiteral("1 error: 1 FP, 0 FN")),
                 qPrintable(tipOfImage2()));
    combo("Class on the images shown")->setCurrentIndex(2);
    QTRY_VERIFY(has("Errors: background (0)") && has("Errors: missed (1)"));
    QTRY_VERIFY2(tipOfImage2().contains(QStringLiteral("1 error: 0 FP, 1 FN")),
                 qPrintable(tipOfImage2()));
    filter()->setCurrentIndex(
        filter()->findText(QStringLiteral("Errors: missed"), Qt::MatchStartsWith));
    combo("Class on the images shown")->setCurrentIndex(0);
    QTRY_VERIFY2(tipOfImage2().contains(QStringLiteral("1 error: 0 FP, 1 FN")),
                 qPrintable(tipOfImage2()));
  }

  void theFiltersAreClearedWhereTheyLeaveImagesOut() {
    auto* clear = view_->findChild<QToolButton*>(QStringLiteral("clearFilters"));
    QVERIFY(!clear->isVisible());
    combo("Class on the images shown")->setCurrentIndex(2);
    QTRY_VERIFY(clear->isVisible());
    QTest::mouseClick(clear, Qt::LeftButton);
    QTRY_COMPARE(strip()->count(), 4);
    QVERIFY(!clear->isVisible() && combo("Class on the images shown")->currentIndex() == 0);
    filter()->setCurrentIndex(1);
    QTRY_COMPARE(strip()->count(), 2);
    view_->setFocus();
    QTest::keyClick(view_.get(), Qt::Key_Backspace);
    QTRY_COMPARE(strip()->count(), 4);
  }

  void theThumbnailsSayWhatTheyAreSortedBy() {
    const auto sortBy = [this](const char* text) {
      QComboBox* sort = combo("Sort images");
      sort->setCurrentIndex(sort->findText(QString::fromUtf8(text)));
    };
    sortBy("Lowest IoU first");
    QTRY_VERIFY(strip()->toolTipOf(0).endsWith(QStringLiteral("mean IoU 0.500")));
    QVERIFY(strip()->toolTipOf(0).startsWith(QStringLiteral("image2")));
    QVERIFY(strip()->toolTipOf(1).endsWith(QStringLiteral("mean IoU 1.000")));
    QVERIFY(!strip()->toolTipOf(2).contains(QStringLiteral("mean IoU")));  // not predicted
    sortBy("Most false negatives first");
    QTRY_VERIFY(strip()->toolTipOf(0).endsWith(QStringLiteral("\n1 FN")));
    sortBy("Dataset order");
    QTRY_VERIFY(!strip()->toolTipOf(0).contains(QStringLiteral("FN\n")));
  }

  void toSortCountsNothingAgain() {
    QTRY_VERIFY(filter()->findText(QStringLiteral("Errors: background (1)")) >= 0);
    QComboBox* sort = combo("Sort images");
    sort->setCurrentIndex(sort->findText(QStringLiteral("Lowest IoU first")));
    QTRY_VERIFY(strip()->toolTipOf(0).startsWith(QStringLiteral("image2")));
    QVERIFY(strip()->toolTipOf(0).endsWith(QStringLiteral("mean IoU 0.500")));  // not later
  }

  void eachApSaysWhatItIsOf() {
    const auto title = [this] {
      return classes()->model()->headerData(ClassModel::Ap, Qt::Horizontal).toString();
    };
    QCOMPARE(title(), QStringLiteral("AP50"));
    QVERIFY(hasVisibleLabelOf("mask AP50 of 2 of 4 images, score ≥ 0.50"));
    slider("IoU threshold")->stepBy(15);
    QCOMPARE(title(), QStringLiteral("AP@0.65"));
    slider("IoU threshold")->stepBy(10);
    panel()->stepScore(5);
    QCOMPARE(title(), QStringLiteral("AP75"));
    QVERIFY(hasVisibleLabelOf("mask AP75 of 2 of 4 images, score ≥ 0.55"));
    MatchRules ofBoxes;
    ofBoxes.type = coco::IouType::Box;
    view_->setDataset(dataset_, folder_->path(), ofBoxes);
    QVERIFY(hasVisibleLabelOf("box AP75 of "));
    QVERIFY(!hasVisibleLabelOf("mask AP"));
  }

  void manyClassesCanBeSearched() {
    auto* search = panel()->findChild<QLineEdit*>(QStringLiteral("classSearch"));
    QVERIFY(!search->isVisible());  // of two
    std::vector<coco::Category> many;
    for (int i = 1; i <= 80; ++i) many.push_back({CategoryId{i}, "class " + std::to_string(i)});
    const auto dataset = std::make_shared<const coco::Dataset>(
        coco::Dataset::fromParts(dataset_->images(), many, {}, "made"));
    view_->setDataset(dataset, folder_->path());
    QVERIFY(search->isVisible());
    QCOMPARE(classes()->model()->rowCount(), 80);
    search->setFocus();
    QTest::keyClicks(search, QStringLiteral("CLASS 7"));
    QCOMPARE(classes()->model()->rowCount(), 11);  // 7 and 70 to 79
    clickFigure(10, ClassModel::Name);
    QCOMPARE(combo("Class on the images shown")->currentText(), QStringLiteral("class 79"));
  }

  void theInstancesHaveRoomOnALowPage() {
    view_->resize(740, 380);
    QCoreApplication::processEvents();
    QVERIFY2(table()->viewport()->height() >= 4 * table()->rowHeight(0),
             qPrintable(QString::number(table()->viewport()->height())));
    QVERIFY(view_->rect().contains(QRect(table()->mapTo(view_.get(), QPoint()), table()->size())));
  }

  /// As in a window of 1000 x 600 px.
  void theImageHasHalfOfALowPage() {
    view_->setHeldOutCurves({{10, 1.0}, {20, 0.5}}, {{10, 0.1}, {20, 0.2}});
    view_->resize(731, 455);
    QCoreApplication::processEvents();
    QVERIFY2(2 * canvas()->height() >= view_->height(),
             qPrintable(QString::number(canvas()->height())));
    const auto* curve = view_->findChild<CheckpointCurve*>();
    const int strip = curve->height();
    view_->resize(1400, 1000);
    QCoreApplication::processEvents();
    QVERIFY2(curve->isVisible() && curve->height() > 2 * strip, qPrintable(QString::number(strip)));
  }
};

LOCKSTEP_TEST(TstErrorFilters)
#include "tst_error_filters.moc"
