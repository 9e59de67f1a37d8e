#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"

using namespace lockstep;
using namespace lockstep::widgets;

/// The page by the keyboard, and what its legend says of what the keys show.
class TstPredictionsViewKeys : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { openPage(); }

  void keysGoThroughImages() {
    givePredictions(10);
    QSignalSpy shown(view_.get(), &PredictionsView::imageShown);
    QTest::keyClick(view_.get(), Qt::Key_D);
    QCOMPARE(view_->currentImage(), ImageId{2});
    QCOMPARE(strip()->current(), 1);
    QTest::keyClick(view_.get(), Qt::Key_Right);
    QTest::keyClick(view_.get(), Qt::Key_Right);
    QTest::keyClick(view_.get(), Qt::Key_Right);
    QCOMPARE(view_->currentImage(), ImageId{4});  // the last one stays
    QTest::keyClick(view_.get(), Qt::Key_A);
    QCOMPARE(view_->currentImage(), ImageId{3});
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(shown.last()[0].value<ImageId>(), ImageId{3});
  }

  void aChosenThumbnailIsShown() {
    QTest::mouseClick(strip()->viewport(), Qt::LeftButton, {}, strip()->itemRect(2).center());
    QCOMPARE(view_->currentImage(), ImageId{3});
  }

  void keysGoThroughCheckpoints() {
    QSignalSpy chosen(view_.get(), &PredictionsView::checkpointChosen);
    QTest::keyClick(view_.get(), Qt::Key_Period);
    QCOMPARE(view_->currentCheckpoint(), qint64{20});
    QTest::keyClick(view_.get(), Qt::Key_Period);
    QTest::keyClick(view_.get(), Qt::Key_Period);
    QCOMPARE(view_->currentCheckpoint(), qint64{30});
    QTest::keyClick(view_.get(), Qt::Key_Comma);
    QCOMPARE(chosen.size(), 3);
    QCOMPARE(chosen.last()[0].toLongLong(), qint64{20});
    view_->setCurrentCheckpoint(30);  // set by the program: no signal
    QCOMPARE(chosen.size(), 3);
  }

  void keysToggleLayers() {
    QTest::keyClick(view_.get(), Qt::Key_G);
    QTest::keyClick(view_.get(), Qt::Key_T);
    QCOMPARE(canvas()->layers(), (CanvasLayers{false, true, true, false}));
    QTest::keyClick(view_.get(), Qt::Key_M);
    QTest::keyClick(view_.get(), Qt::Key_B);
    QTest::keyClick(view_.get(), Qt::Key_G);
    QCOMPARE(canvas()->layers(), (CanvasLayers{true, false, false, false}));
    QTest::keyClick(view_.get(), Qt::Key_K);
    QTest::keyClick(view_.get(), Qt::Key_O);
    QCOMPARE(canvas()->layers(), (CanvasLayers{true, false, false, false, false, 40}));
    QTest::keyClick(view_.get(), Qt::Key_O);
    QCOMPARE(canvas()->layers().fillPercent, 0);
    QTest::keyClick(view_.get(), Qt::Key_O);
    QCOMPARE(canvas()->layers().fillPercent, 100);
  }

  void keysGoThroughInstancesAndErrors() {
    givePredictions(10);
    view_->showImage(ImageId{2});
    QTRY_VERIFY(view_->isReady());
    table()->sortByColumn(0, Qt::AscendingOrder);  // the worst first
    QTest::keyClick(view_.get(), Qt::Key_N);
    QCOMPARE(canvas()->pinned(), 0);
    QCOMPARE(table()->currentIndex().row(), 0);
    QTest::keyClick(view_.get(), Qt::Key_N);
    QCOMPARE(canvas()->pinned(), 1);
    QTest::keyClick(view_.get(), Qt::Key_N);  // no other image has errors
    QCOMPARE(canvas()->pinned(), 0);
    QVERIFY(hasLabelOfPage("From the first error again"));
    QTest::keyClick(view_.get(), Qt::Key_N, Qt::ShiftModifier);
    QCOMPARE(canvas()->pinned(), 1);
    QTest::keyClick(view_.get(), Qt::Key_Down);
    QCOMPARE(canvas()->pinned(), 2);
    QTest::keyClick(view_.get(), Qt::Key_N, Qt::ShiftModifier);
    QCOMPARE(canvas()->pinned(), 1);
  }

  void theNextErrorMayBeInAnotherImage() {
    givePredictions(10);
    const auto& images = dataset_->images();
    view_->setPredictions(10, {}, {images[3].id});  // both its objects are missed
    QTRY_VERIFY(view_->isReady());
    QTest::keyClick(view_.get(), Qt::Key_N);  // of image 1 nothing is wrong
    QCOMPARE(view_->currentImage(), ImageId{2});
    QTRY_COMPARE(canvas()->pinned(), 0);
    QTest::keyClick(view_.get(), Qt::Key_N);
    QTest::keyClick(view_.get(), Qt::Key_N);  // image 3 was not predicted
    QCOMPARE(view_->currentImage(), ImageId{4});
    QTRY_COMPARE(canvas()->pinned(), 0);
    QVERIFY(!hasLabelOfPage("again"));
    QTest::keyClick(view_.get(), Qt::Key_N, Qt::ShiftModifier);
    QCOMPARE(view_->currentImage(), ImageId{2});
    QTRY_COMPARE(canvas()->pinned(), 1);  // its last error
    QTest::keyClick(view_.get(), Qt::Key_N, Qt::ShiftModifier);
    QTest::keyClick(view_.get(), Qt::Key_N, Qt::ShiftModifier);
    QCOMPARE(view_->currentImage(), ImageId{4});
    QVERIFY(hasLabelOfPage("From the last error again"));
  }

  void withoutErrorsThereIsNoNextOne() {
    const auto& image = dataset_->images()[0];
    view_->setPredictions(10,
                          {tests::boxDetection(image, 1, 0.9, {4, 4, 16, 16}),
                           tests::boxDetection(image, 2, 0.9, {36, 20, 16, 16})},
                          {image.id});
    QTRY_VERIFY(view_->isReady());
    QTest::keyClick(view_.get(), Qt::Key_N);
    QCOMPARE(view_->currentImage(), image.id);
    QVERIFY(hasLabelOfPage("No errors at these thresholds"));
  }

  /// What is most is not left out for want of room.
  void aNarrowLegendAbbreviates() {
    givePredictions(10);
    view_->showImage(ImageId{2});
    QTRY_VERIFY(view_->isReady());
    auto* legend = view_->findChild<CanvasLegend*>();
    legend->resize(2000, legend->height());
    QCOMPARE(legend->shownTexts().join(u' '),
             QStringLiteral("ground truth true positive false positive false negative"));
    legend->resize(300, legend->height());
    QCOMPARE(legend->shownTexts().join(u' '), QStringLiteral("GT TP FP FN"));
    QVERIFY(legend->spokenValue().contains(QStringLiteral("false negative")));
  }

  void theLegendNamesWhatIsDrawn() {
    givePredictions(10);
    view_->showImage(ImageId{2});
    QTRY_VERIFY(view_->isReady());
    const auto* legend = view_->findChild<CanvasLegend*>();
    QCOMPARE(legend->spokenValue(),
             QStringLiteral("ground truth, true positive, false positive, false negative"));
    QCOMPARE(legend->entries()[2].pen.color(),
             verdictColor(Verdict::FalsePositive, currentTheme()));
    QTest::keyClick(view_.get(), Qt::Key_G);
    QCOMPARE(legend->spokenValue(), QStringLiteral("true positive, false positive"));
    QTest::keyClick(view_.get(), Qt::Key_C);  // by class
    QTRY_COMPARE(legend->spokenValue(),
                 QStringLiteral("true positive, false positive, disc, star"));
    QVERIFY(legend->entries()[1].pen.style() != Qt::SolidLine);  // dashes remain
    QVERIFY(legend->entries()[2].pen.color() != legend->entries()[3].pen.color());
    QTest::keyClick(view_.get(), Qt::Key_C);
    QTRY_COMPARE(legend->spokenValue(), QStringLiteral("true positive, false positive"));
    QTest::keyClick(view_.get(), Qt::Key_C);
    QTRY_VERIFY(legend->spokenValue().endsWith(QStringLiteral("score 0, score 0.5, score 1")));
    QTest::keyClick(view_.get(), Qt::Key_C);
    QTRY_COMPARE(legend->spokenValue(), QStringLiteral("true positive, false positive"));
    QTest::keyClick(view_.get(), Qt::Key_M);
    QTest::keyClick(view_.get(), Qt::Key_B);
    QCOMPARE(legend->spokenValue(), QString());
  }

  void thePixelUnderThePointerIsSaid() {
    QTRY_VERIFY(view_->isReady());
    QTest::mouseMove(canvas(), canvas()->toWidget({10.5, 30.5}).toPoint());
    QTRY_VERIFY(hasLabelOfPage("x 10  y 30  RGB 41 40 40"));
  }
};

LOCKSTEP_TEST(TstPredictionsViewKeys)
#include "tst_predictions_view_keys.moc"
