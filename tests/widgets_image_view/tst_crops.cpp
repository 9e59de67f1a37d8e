#include <QCoreApplication>

#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"
#include "widgets/image_view/crop_grid.h"
#include "widgets/image_view/instance_crops.h"

using namespace lockstep;
using namespace lockstep::widgets;

/// All instances that pass the filters, as crops of their images.
class TstCrops : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private:
  CropGrid* grid() { return view_->findChild<CropGrid*>(); }
  QStringList listed() {
    QStringList tips;
    for (int i = 0; i < grid()->count(); ++i)
      tips << grid()->toolTipOf(i).replace(u'\n', QStringLiteral(", "));
    return tips;
  }
  void showCrops() {
    QTest::keyClick(view_.get(), Qt::Key_V);
    QTRY_VERIFY(grid()->isVisible() && view_->isReady());
  }

 private Q_SLOTS:
  void init() {
    openPage();
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
  }

  void everyInstanceIsThereWithItsVerdict() {
    showCrops();
    QCOMPARE(listed(), (QStringList{QStringLiteral("disc 0.90: true positive, image1.png"),
                                    QStringLiteral("star 0.60: true positive, image1.png"),
                                    QStringLiteral("star: false negative, image2.png"),
                                    QStringLiteral("disc 0.70: false positive, image2.png"),
                                    QStringLiteral("disc 0.80: true positive, image2.png")}));
    QVERIFY(strip()->isHidden() && !canvas()->isVisible());
    panel()->stepScore(25);            // from 0.75 on
    QTRY_COMPARE(grid()->count(), 4);  // an error and a match less, and an object missed
  }

  void theFiltersChooseThem() {
    showCrops();
    combo("Images shown")
        ->setCurrentIndex(
            combo("Images shown")->findText(QStringLiteral("Errors: missed"), Qt::MatchStartsWith));
    QTRY_COMPARE(listed(), QStringList{QStringLiteral("star: false negative, image2.png")});
    combo("Class on the images shown")->setCurrentIndex(1);
    QTRY_VERIFY(!grid()->isVisible());
    QTRY_VERIFY(hasLabelOfPage("No instance passes the filters"));
    QTest::keyClick(view_.get(), Qt::Key_Backspace);
    QTRY_COMPARE(grid()->count(), 5);
    QVERIFY(grid()->isVisible());
  }

  void aClickGoesToTheInstanceInItsImage() {
    showCrops();
    QTest::mouseClick(grid()->viewport(), Qt::LeftButton, {}, grid()->itemRect(2).center());
    QTRY_VERIFY(canvas()->isVisible());
    QTRY_COMPARE(view_->currentImage(), ImageId{2});
    QTRY_VERIFY(view_->chosenInstance());
    QVERIFY(view_->chosenInstance()->facts.verdict == Verdict::Missed);
    QCOMPARE(view_->chosenInstance()->className, QStringLiteral("star"));
    QVERIFY(strip()->isVisible());
    showCrops();
    QCOMPARE(grid()->current(), 2);
  }

  void theKeysGoThroughThem() {
    showCrops();
    QTRY_VERIFY(grid()->hasFocus());  // also if a table had it
    QTest::keyClick(grid(), Qt::Key_Right);
    QCOMPARE(grid()->current(), 1);
    QTest::keyClick(grid(), Qt::Key_D);
    QCOMPARE(grid()->current(), 2);
    QTest::keyClick(grid(), Qt::Key_Home);
    QCOMPARE(grid()->current(), 0);
    QTest::keyClick(grid(), Qt::Key_End);
    QCOMPARE(grid()->current(), 4);
    QVERIFY(grid()->spokenValue().startsWith(QStringLiteral("instance 5 of 5: disc 0.80")));
    QTest::keyClick(grid(), Qt::Key_A);
    QTest::keyClick(grid(), Qt::Key_Return);
    QTRY_VERIFY(view_->chosenInstance());
    QVERIFY(view_->chosenInstance()->facts.verdict == Verdict::FalsePositive);
  }

  void theyBeginAtTheChosenInstance() {
    view_->showImage(ImageId{2});
    QTRY_VERIFY(view_->isReady());
    QTest::keyClick(view_.get(), Qt::Key_N);
    QTRY_VERIFY(view_->chosenInstance());
    const Verdict verdict = view_->chosenInstance()->facts.verdict;
    const int detection = view_->chosenInstance()->facts.detection;
    showCrops();
    QCOMPARE(grid()->at(grid()->current()).image, std::size_t{1});
    QVERIFY(grid()->at(grid()->current()).verdict == verdict);
    QCOMPARE(grid()->at(grid()->current()).detection, detection);
  }

  void theLegendIsThatOfTheCrops() {
    const auto* legend = view_->findChild<CanvasLegend*>();
    showCrops();
    QCOMPARE(legend->spokenValue(),
             QStringLiteral("true positive, false positive, false negative"));
    combo("Images shown")
        ->setCurrentIndex(
            combo("Images shown")->findText(QStringLiteral("Errors: missed"), Qt::MatchStartsWith));
    QTRY_COMPARE(legend->spokenValue(), QStringLiteral("false negative"));
    QTest::keyClick(view_.get(), Qt::Key_V);
    QTRY_VERIFY(canvas()->isVisible() && view_->isReady());
    QVERIFY(legend->spokenValue() != QStringLiteral("false negative"));
  }

  void everyColumnIsWhollyInView() {
    showCrops();
    for (int widthPx = 800; widthPx < 1000; widthPx += 3) {
      view_->resize(widthPx, 700);
      QCoreApplication::processEvents();
      for (int i = 0; i < grid()->count(); ++i)
        QVERIFY2(grid()->itemRect(i).right() <= grid()->viewport()->rect().right(),
                 qPrintable(QString::number(widthPx)));
    }
  }

  void whereNothingIsPredictedThePageSaysSo() {
    view_->setCurrentCheckpoint(20);
    QTest::keyClick(view_.get(), Qt::Key_V);
    QTRY_VERIFY(hasLabelOfPage("No image is predicted at this step"));
    givePredictions(20);
    QTRY_COMPARE(grid()->count(), 5);
  }

  /// Detections of another step have other indices.
  void noCropOfTheStepBeforeStays() {
    view_->setPredictions(20, {}, {ImageId{1}});  // both its objects are missed
    showCrops();
    QCOMPARE(grid()->count(), 5);
    view_->setCurrentCheckpoint(20);
    QCOMPARE(grid()->count(), 0);
    QVERIFY(!grid()->isVisible());
    QVERIFY(hasLabelOfPage("Matching…"));
    QTRY_COMPARE(listed(), (QStringList{QStringLiteral("disc: false negative, image1.png"),
                                        QStringLiteral("star: false negative, image1.png")}));
    QVERIFY(grid()->isVisible());
    QTest::mouseClick(grid()->viewport(), Qt::LeftButton, {}, grid()->itemRect(1).center());
    QTRY_VERIFY(view_->chosenInstance());
    QVERIFY(view_->chosenInstance()->facts.verdict == Verdict::Missed);
    QCOMPARE(view_->chosenInstance()->className, QStringLiteral("star"));
  }

  /// Until those of the next ones are listed.
  void cropsAreOfThePredictionsThatWereListed() {
    showCrops();
    view_->forgetPredictions(10, ImageId{2});
    QCOMPARE(grid()->count(), 5);
    grid()->reload();
    QVERIFY(grid()->isReady());  // they are kept
    QTRY_COMPARE(listed(), (QStringList{QStringLiteral("disc 0.90: true positive, image1.png"),
                                        QStringLiteral("star 0.60: true positive, image1.png")}));
    QTRY_VERIFY(view_->isReady());
  }

  /// The pixels of the picture are those of the image around the box.
  void aCropIsCutOutOfItsImage() {
    QImage picture(200, 100, QImage::Format_RGB32);
    for (int y = 0; y < 100; ++y)
      for (int x = 0; x < 200; ++x) picture.setPixel(x, y, qRgb(x, y, 0));
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("one.png"));
    QVERIFY(picture.save(path));
    const coco::Image image{ImageId{1}, "one.png", 200, 100};
    const auto dataset = std::make_shared<const coco::Dataset>(
        coco::Dataset::fromParts({image}, {{CategoryId{1}, "disc"}},
                                 {tests::boxAnnotation(1, 1, 1, {60, 20, 40, 20}),
                                  tests::boxAnnotation(2, 1, 1, {190, 90, 10, 10})},
                                 "made"));
    ListedInstance inside{0, CategoryId{1}, Verdict::Missed, -1, 0, 0}, atCorner = inside;
    atCorner.annotation = 1;
    const Crops crops =
        cropInstances({path, QSize(200, 100), {}, dataset, {inside, atCorner}}, 224);
    QVERIFY2(crops.failure.isEmpty(), qPrintable(crops.failure));
    QCOMPARE(crops.crops.size(), std::size_t{2});
    for (const auto& [crop, box] :
         {std::pair(crops.crops[0], QPoint(60, 20)), std::pair(crops.crops[1], QPoint(190, 90))}) {
      const QPoint corner = crop.box.topLeft().toPoint();
      QCOMPARE(crop.picture.pixel(corner), qRgb(box.x(), box.y(), 0));
    }
    QCOMPARE(crops.crops[0].picture.size(), QSize(60, 60));  // the longer side and half of it
    QVERIFY(cropInstances({path, QSize(100, 50), {}, dataset, {inside}}, 224)
                .failure.contains(QStringLiteral("200 × 100 px")));
    QVERIFY(!cropInstances({folder.filePath(QStringLiteral("none.png")), {}, {}, dataset, {inside}},
                           224)
                 .failure.isEmpty());
  }
};

LOCKSTEP_TEST(TstCrops)
#include "tst_crops.moc"
