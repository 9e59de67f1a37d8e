#include "tests/support/test_main.h"
#include "tests/widgets_image_view/predictions_view_bench.h"

using namespace lockstep;
using namespace lockstep::widgets;

class TstPredictionsView : public QObject, protected tests::PredictionsViewBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { openPage(); }

  void theShownImageHasARowForEachCheckpointThatPredictedIt() {
    givePredictions(10);
    view_->setPredictions(30, {tests::boxDetection(dataset_->images()[0], 1, 0.9, {4, 4, 16, 16})},
                          {dataset_->images()[0].id});
    auto* history = view_->findChild<ImageHistoryTable*>();
    const auto row = [&](int at) {
      QStringList texts;
      for (int column = 0; column < ImageHistoryTable::kColumns; ++column)
        texts << history->item(at, column)->text();
      return texts.join(QLatin1Char(' '));
    };
    QTRY_COMPARE(history->rowCount(), 2);
    QCOMPARE(row(0), QStringLiteral("10 2 0 0 1.00 –"));
    QCOMPARE(row(1), QStringLiteral("30 1 0 1 1.00 –"));
    QCOMPARE(history->currentRow(), 0);

    QSignalSpy chosen(view_.get(), &PredictionsView::checkpointChosen);
    QTest::mouseClick(history->viewport(), Qt::LeftButton, {},
                      history->visualItemRect(history->item(1, 0)).center());
    QCOMPARE(chosen.count(), 1);
    QCOMPARE(view_->currentCheckpoint(), qint64{30});
    QTest::keyClick(history, Qt::Key_Up);  // elsewhere on the page: the previous object
    QCOMPARE(view_->currentCheckpoint(), qint64{10});
    QTest::keyClick(history, Qt::Key_Down);
    QCOMPARE(view_->currentCheckpoint(), qint64{30});
  }

  void theTooltipOfApNamesItsLimit() {
    const auto sliders = panel()->findChildren<ValueSlider*>();
    QVERIFY(std::any_of(sliders.begin(), sliders.end(), [](const ValueSlider* slider) {
      return slider->toolTip().contains(QStringLiteral("100 highest-scoring detections per class"));
    }));
  }

  void detectionsThatApIgnoresAreCounted() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(!hasVisibleLabelOf("Ignored by AP"));
    std::vector<coco::Detection> many;
    for (int i = 0; i < 103; ++i)
      many.push_back(tests::boxDetection(dataset_->images()[0], 1, 0.5, {4, 4, 16, 16}));
    view_->setPredictions(10, many, {ImageId{1}});
    QTRY_VERIFY(view_->isReady());
    QVERIFY(hasVisibleLabelOf("Ignored by AP (over 100 per class and image): 3 detections"));
    view_->setCurrentCheckpoint(20);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(!hasVisibleLabelOf("Ignored by AP"));
  }

  /// Class 1: all objects are found before the false positive; class 2: one of two.
  void theApFollowsTheScore() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(hasVisibleLabelOf("Mask AP of 2 of 4 images, score ≥ 0.50"));
    QVERIFY(hasVisibleLabelOf("0.752"));  // (1 + 51 / 101) / 2
    QTRY_VERIFY(hasVisibleLabelOf("0.752 ("));
    panel()->stepScore(15);
    QTRY_VERIFY(hasVisibleLabelOf("0.500"));  // of class 2 none is left
    panel()->stepScore(20);
    QTRY_VERIFY(hasVisibleLabelOf("Mask AP of 2 of 4 images, score ≥ 0.85"));
    QTRY_VERIFY(hasVisibleLabelOf("0.252"));  // 51 / 101 / 2
    view_->setCurrentCheckpoint(20);
    QTRY_VERIFY(hasVisibleLabelOf("–"));
  }

  void thePageSaysHowPredictionsAreJudged() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    const auto* judgement = panel()->findChild<QLabel*>(QStringLiteral("judgement"));
    QVERIFY(!judgement->isVisible());
    const QStringList before = counts();
    const coco::Image& image = dataset_->images()[1];
    view_->setPredictions(10,
                          {tests::boxDetection(image, 1, 0.8, {4, 4, 16, 16}),
                           tests::boxDetection(image, 1, 0.7, {4, 28, 16, 16}),
                           tests::boxDetection(image, 99, 0.9, {36, 20, 16, 16})},
                          {image.id});
    QTRY_VERIFY(view_->isReady() && judgement->isVisible());
    QCOMPARE(judgement->text(),
             QStringLiteral("1 detection ignored: of classes that the annotations do not list"));
    QCOMPARE(counts(), before);
    coco::Detection box = tests::boxDetection(image, 1, 0.8, {4, 4, 16, 16});
    box.mask = {};
    view_->setPredictions(10, {box}, {image.id});
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(judgement->text(),
             QStringLiteral("Evaluated on boxes: not all of these predictions have masks"));
    QVERIFY(hasVisibleLabelOf("Box AP of "));
    QVERIFY(hasVisibleLabelOf("box AP50 of 2 of 4 images, score ≥ 0.50"));
    QVERIFY(!hasVisibleLabelOf("mask AP50"));
    view_->setCurrentCheckpoint(20);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(!judgement->isVisible());
    QVERIFY(hasVisibleLabelOf("mask AP50 of "));
  }

  void objectsThatApIgnoresAreCounted() {
    std::vector<coco::Annotation> annotations;
    for (int i = 0; i < 150; ++i)
      annotations.push_back(tests::boxAnnotation(i + 1, 1, 1, {4, 4, 16, 16}));
    const coco::Dataset crowded = coco::Dataset::fromParts(
        {{ImageId{1}, "a.png", 64, 48}}, {{CategoryId{1}, "disc"}}, annotations, "made");
    const auto analysis = analyseCheckpoint(OverlapCache().at(10, crowded, {}, {}), 0.5);
    QCOMPARE(analysis->overlaps->pastLimit, (coco::PastLimit{1, 50, 0, 0}));
    PredictionsPanel bare;
    bare.showCounts(analysis.get(), {});
    const auto labels = bare.findChildren<QLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->isVisibleTo(label->parentWidget()) &&
             label->text().endsWith(QStringLiteral("per class and image): 50 objects"));
    }));
  }

  void thePageIsReadyOnceEverythingIsShown() {
    QSignalSpy ready(view_.get(), &PredictionsView::ready);
    givePredictions(10);
    QVERIFY(!view_->isReady());
    QTRY_VERIFY(view_->isReady());
    QVERIFY(ready.size() >= 1);
    QCOMPARE(view_->currentImage(), ImageId{1});
    QCOMPARE(table()->model()->rowCount(), 2);
  }

  void countsNameTheirNumberOfImages() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(hasLabel("2 of 4 images predicted"));
    view_->setPredictions(10, {}, {ImageId{3}, ImageId{4}});
    QTRY_VERIFY(view_->isReady());
    QVERIFY(hasLabel("all 4 images predicted"));
    view_->setCurrentCheckpoint(20);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(hasLabel("0 of 4 images predicted"));
  }

  void countsFollowTheThresholds() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(counts(),
             (QStringList{QStringLiteral("3"), QStringLiteral("1"), QStringLiteral("1")}));
    for (int i = 0; i < 5; ++i)
      QTest::keyClick(view_.get(), Qt::Key_Up, Qt::ShiftModifier);  // score 0.75
    QCOMPARE(counts(),
             (QStringList{QStringLiteral("2"), QStringLiteral("0"), QStringLiteral("2")}));
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(table()->model()->rowCount(), 2);  // one true positive, one missed
  }

  void aScoreThatNoDetectionReachesHasNoPrecision() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    const auto* curve = view_->findChild<PrecisionRecallCurve*>();
    QVERIFY(curve->current());
    for (int i = 0; i < 9; ++i) QTest::keyClick(view_.get(), Qt::Key_Up, Qt::ShiftModifier);
    QCOMPARE(counts()[0], QStringLiteral("0"));  // above 0.9
    QVERIFY(hasVisibleLabelOf("4 detections, all with lower scores"));
    view_->setPredictions(20, {}, {dataset_->images()[0].id});
    view_->setCurrentCheckpoint(20);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(hasVisibleLabelOf("No detections, not even with lower scores"));
    view_->setCurrentCheckpoint(10);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(!curve->current());
  }

  void aLowPageCutsNeitherImageNorStrip() {
    view_->resize(740, 364);  // of a window of 1000 x 600
    QVERIFY2(view_->minimumSizeHint().height() <= 364,
             qPrintable(QString::number(view_->minimumSizeHint().height())));
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    for (QWidget* part : {static_cast<QWidget*>(view_->findChild<LayerButtons*>()),
                          static_cast<QWidget*>(stage()), static_cast<QWidget*>(strip())})
      QVERIFY(view_->rect().contains(QRect(part->mapTo(view_.get(), QPoint()), part->size())));
    QVERIFY(strip()->height() >= strip()->sizeHint().height());
    const auto* side = view_->findChild<QScrollArea*>(QStringLiteral("predictionsPanel"));
    QVERIFY(side->verticalScrollBar()->maximum() > 0);  // leads to the curve
  }

  void anUnpredictedImageCanBePredicted() {
    givePredictions(10);
    view_->showImage(ImageId{3});
    QTRY_VERIFY(view_->isReady());
    QVERIFY(stage()->notice().contains(QStringLiteral("not predicted at step 10")));
    QSignalSpy asked(view_.get(), &PredictionsView::predictionRequested);
    Q_EMIT stage()->noticeActionTriggered();
    QCOMPARE(asked.size(), 1);
    QCOMPARE(asked[0][0].value<ImageId>(), ImageId{3});
    QCOMPARE(asked[0][1].toLongLong(), qint64{10});
    QVERIFY(stage()->notice().contains(QStringLiteral("Predicting")));
    view_->setPredictionFailed(ImageId{3}, 10, QStringLiteral("out of memory"));
    QVERIFY(stage()->notice().contains(QStringLiteral("out of memory")));
    view_->setPredictions(10, {}, {ImageId{3}});
    QCOMPARE(stage()->notice(), QString());
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(table()->model()->rowCount(), 2);  // both objects are missed
  }

  void aStepWithoutItsCheckpointShowsStoredPredictions() {
    view_->setCheckpoints({10, 20, 30}, {20, 30});
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    QVERIFY(checkpointTitle().contains(QStringLiteral("no checkpoint")));
    QCOMPARE(stage()->notice(), QString());  // image 1 was predicted
    view_->showImage(ImageId{3});
    QTRY_VERIFY(view_->isReady());
    QVERIFY(
        stage()->notice().contains(QStringLiteral("the nearest checkpoint is that of step 20")));
    QSignalSpy asked(view_.get(), &PredictionsView::predictionRequested);
    for (QPushButton* button : stage()->findChildren<QPushButton*>())
      if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(asked.count(), 0);
    QCOMPARE(view_->currentCheckpoint(), qint64{20});
    QVERIFY(!checkpointTitle().contains(QStringLiteral("no checkpoint")));
    QVERIFY(stage()->notice().contains(QStringLiteral("not predicted at step 20")));
  }

  void withoutAnEngineTheButtonIsDisabledWithAReason() {
    view_->setPredictionPossible(false,
                                 QStringLiteral("The run has no checkpoint on this machine."));
    view_->showImage(ImageId{3});
    auto* button = stage()->findChild<QPushButton*>();
    QVERIFY(!stage()->notice().isEmpty());
    for (QPushButton* found : stage()->findChildren<QPushButton*>()) {
      if (found->text() == QStringLiteral("Predict this image")) button = found;
    }
    QVERIFY(!button->isEnabled());
    QCOMPARE(button->toolTip(), QStringLiteral("The run has no checkpoint on this machine."));
  }

  void anUnreadableImageIsNamedWithAReason() {
    QFile file(folder_->filePath(QStringLiteral("image2.png")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("no picture");
    file.close();
    view_->setDataset(dataset_, folder_->path());
    view_->showImage(ImageId{2});
    QTRY_VERIFY(view_->isReady());
    QVERIFY(stage()->problem().contains(QStringLiteral("image2.png")));
    view_->showImage(ImageId{1});
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(stage()->problem(), QString());
  }

  void theStripShowsTheWorstImagesFirst() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    const auto combos = view_->findChildren<QComboBox*>();
    for (QComboBox* combo : combos) {
      if (combo->itemText(0) == QStringLiteral("All images")) combo->setCurrentIndex(1);
      if (combo->itemText(0).startsWith(QStringLiteral("Dataset order"))) combo->setCurrentIndex(1);
    }
    QCOMPARE(strip()->count(), 2);
    QTest::mouseClick(strip()->viewport(), Qt::LeftButton, {}, strip()->itemRect(0).center());
    QCOMPARE(view_->currentImage(), ImageId{2});
    view_->showImage(ImageId{4});  // outside of the filter
    QCOMPARE(view_->currentImage(), ImageId{4});
    QCOMPARE(strip()->count(), 4);
  }

  void aNewDatasetReplacesTheOldOne() {
    givePredictions(10);
    QTRY_VERIFY(view_->isReady());
    view_->showImage(ImageId{4});
    view_->setDataset(dataset_, folder_->path());
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(view_->currentImage(), ImageId{1});
    QCOMPARE(counts()[0], QStringLiteral("–"));
    view_->clear();
    QVERIFY(view_->isReady());
    QCOMPARE(view_->currentImage(), ImageId{});
    QTest::keyClick(view_.get(), Qt::Key_D);  // there are no images to move to
    view_->showImage(ImageId{1});
    view_->setCurrentCheckpoint(20);
    givePredictions(20);
  }

  void theNewestPredictedStepIsShownWhereNoneWasChosen() {
    view_->setDataset(dataset_, folder_->path());
    givePredictions(20);
    QCOMPARE(view_->currentCheckpoint(), qint64{20});
    view_->setCheckpoints({10, 20, 30}, {10, 20, 30});
    QCOMPARE(view_->currentCheckpoint(), qint64{20});  // shown already: stays
    view_->setDataset(dataset_, folder_->path());
    view_->setCheckpoints({10, 30}, {10, 30});
    QCOMPARE(view_->currentCheckpoint(), qint64{30});
  }

  void aResumedRunShowsTheNewestRemainingStep() {
    for (qint64 step : {10, 20, 30}) givePredictions(step);
    view_->setCurrentCheckpoint(30);
    view_->forgetAfter(20);
    QCOMPARE(view_->currentCheckpoint(), qint64{20});
    view_->forgetAfter(25);
    QCOMPARE(view_->currentCheckpoint(), qint64{20});
    QTRY_VERIFY(view_->isReady());
  }

  void aNarrowPageKeepsTheNamesOfImageAndClasses() {
    const auto buttonText = [this] {
      return view_->findChild<LayerButtons*>()->findChild<QToolButton*>()->text();
    };
    QCOMPARE(buttonText(), QStringLiteral("G ground truth"));
    QVERIFY(!table()->isColumnHidden(InstanceModel::Area));
    view_->resize(640, 500);
    QTRY_COMPARE(buttonText(), QStringLiteral("G"));
    QVERIFY(table()->isColumnHidden(InstanceModel::Area));
    QVERIFY(table()->columnWidth(InstanceModel::Class) > 80);
    view_->resize(1200, 800);
    QTRY_COMPARE(buttonText(), QStringLiteral("G ground truth"));
    QVERIFY(!table()->isColumnHidden(InstanceModel::Area));
  }

  void theImageCanBeMaximized() {
    QTest::keyClick(view_.get(), Qt::Key_F);
    QVERIFY(!panel()->isVisible());
    QVERIFY(strip()->isHidden());
    QTRY_VERIFY(view_->isReady());
    QTest::keyClick(view_.get(), Qt::Key_F);
    QVERIFY(panel()->isVisible());
  }

  void quickChangesShowTheLastOne() {
    for (qint64 step : {10, 20, 30}) givePredictions(step);
    for (int i = 0; i < 20; ++i) {
      view_->setCurrentCheckpoint(10 + 10 * (i % 3));
      view_->showImage(dataset_->images()[static_cast<std::size_t>(i % 4)].id);
    }
    QTRY_VERIFY(view_->isReady());
    QCOMPARE(view_->currentImage(), ImageId{4});
    QCOMPARE(view_->currentCheckpoint(), qint64{20});
    QVERIFY(stage()->notice().contains(QStringLiteral("step 20")));
  }

  void thePageCanBeDestroyedDuringItsJobs() {
    givePredictions(10);
    view_->showImage(ImageId{2});
    view_.reset();
    QVERIFY(jobs::waitForAll(std::chrono::seconds(30)));
    QCoreApplication::processEvents();  // what they delivered
  }

  void realImagesWithAHundredObjectsAreShown() {
    const auto annotations = tests::realData("droplets/annotations/instances_val.json");
    if (annotations.empty()) QSKIP("LOCKSTEP_TEST_DATA has no droplets");
    const auto images = tests::realData("droplets/val");
    const auto real = std::make_shared<const coco::Dataset>(coco::Dataset::load(annotations));
    view_->setDataset(real, QString::fromStdString(images.string()));
    std::vector<ImageId> predicted;
    for (const coco::Image& image : real->images()) predicted.push_back(image.id);
    view_->setPredictions(40, tests::perturbedTruth(*real, 0.7), predicted);
    view_->setCurrentCheckpoint(40);
    QTRY_VERIFY_WITH_TIMEOUT(view_->isReady(), 20000);
    const int found = counts()[0].toInt(), missed = counts()[2].toInt();
    QCOMPARE(found + missed, static_cast<int>(real->annotationCount()));
    QVERIFY(found > 100);
  }
};

LOCKSTEP_TEST(TstPredictionsView)
#include "tst_predictions_view.moc"
