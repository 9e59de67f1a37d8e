#include <QSignalSpy>

#include "tests/app/predictions_page_bench.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/predictions_panel.h"

using namespace lockstep;
using app::PredictionsPage;
using app::RunController;

/// What the page asks an engine for.
class TstPredictedOnDemand : public QObject, protected tests::PredictionsPageBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { parent_ = std::make_unique<QTemporaryDir>(); }

  /// By `lockstep-engine inspect`, which cannot use this checkpoint.
  void aPredictionOfAFinishedRunThatFailsIsSaid() {
    tests::MadeRun made = watchedRun("run");
    made.keptCheckpoints = {40};
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    auto* stage = page.findChild<widgets::ImageStage*>();
    page.view()->setFocus();
    QTest::keyClick(page.view(), Qt::Key_D);
    QTRY_VERIFY(stage->notice().contains(QStringLiteral("not predicted at step 40.")));
    clickIn(*stage);
    QTRY_VERIFY2_WITH_TIMEOUT(stage->notice().contains(QStringLiteral("step-00000040")),
                              qPrintable(stage->notice()), 60000);
  }

  void requestsAndImageAreRestoredWhenARunIsShownAgain() {
    tests::MadeRun made = trainingRun();
    made.keptCheckpoints = {20, 40};
    tests::LiveRun live(made);
    RunController run(live.folder);
    connectTo(live, run, {tests::okOf("app-1", answerFile(kFifth))});
    RunController other(tests::makeRun(parent_->path(), watchedRun("other")));
    PredictionsPage page;
    show(page, run);
    auto* stage = page.findChild<widgets::ImageStage*>();
    page.view()->showImage(ImageId{5});
    Q_EMIT page.findChild<widgets::PredictionsPanel*>()->checkpointChosen(20);
    QVERIFY(stage->notice().contains(QStringLiteral("not predicted at step 20")));
    clickIn(*stage);
    QTRY_COMPARE(stage->notice(), QString());
    QVERIFY(live.engine.nextLine().contains("hello"));
    const QByteArray asked = live.engine.nextLine();
    QVERIFY2(asked.contains(R"("image_ids":[5])") && asked.contains(R"("weights":"20")"), asked);

    show(page, other);
    QCOMPARE(page.view()->currentImage(), ImageId{5});  // the data are the same
    QCOMPARE(page.view()->currentCheckpoint(), qint64{40});
    QVERIFY(stage->notice().contains(QStringLiteral("not predicted")));

    show(page, run);
    QCOMPARE(page.view()->currentImage(), ImageId{5});
    QCOMPARE(page.view()->currentCheckpoint(), qint64{20});
    QCOMPARE(stage->notice(), QString());

    Q_EMIT run.changed({.cutAfter = 10});  // resumed: the later predictions are dropped
    show(page, other);
    show(page, run);
    page.view()->setCurrentCheckpoint(20);
    QVERIFY(stage->notice().contains(QStringLiteral("not predicted at step 20")));
  }

  void allImagesArePredictedOnDemand() {
    tests::LiveRun live(trainingRun());
    const auto layout = run_folder::Layout(live.folder.toStdString());
    const std::string kept = layout.predictionsOfPart(40, "val").string();
    RunController run(live.folder);
    connectTo(live, run,
              {tests::progressOf("app-1", 1, 2), "@await", tests::refusalOf("app-1", "cancelled"),
               "@await", tests::okOf("app-2", kept)});
    PredictionsPage page;
    show(page, run);
    QPushButton* button = buttonOf(page, QStringLiteral("Predict all"));
    QVERIFY(button && button->isVisible() && button->isEnabled());
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(button->text(), QStringLiteral("Cancel"));
    QTRY_VERIFY(hasLabel(page, QStringLiteral("predicting: 1 of 2 images")));
    QSignalSpy refused(&run, &RunController::predictionFailed);
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(button->text(), QStringLiteral("Predict all"));
    QTRY_COMPARE(refused.count(), 1);
    QVERIFY(!saysInABanner(page));

    base::writeFileAtomically(kept, R"({"image_ids": [3, 5],
      "score_threshold": 0.05, "detections": [
      {"image_id": 5, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}]})");
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(hasLabel(page, QStringLiteral("all 2 images predicted")));
    QVERIFY(!button->isVisible());
    QVERIFY(live.engine.nextLine().contains("hello"));
    QVERIFY(live.engine.nextLine().contains(R"("split":"val")"));
    QVERIFY(live.engine.nextLine().contains(R"("type":"cancel")"));
  }

  /// Such as Compare.
  void answersToOthersAreNotSaid() {
    tests::LiveRun live(trainingRun());
    RunController run(live.folder);
    connectTo(live, run,
              {tests::progressOf("app-1", 1, 2), "@await", tests::refusalOf("app-1", "cancelled")});
    PredictionsPage page;
    show(page, run);
    app::PredictionRequests other;
    other.setRun(&run);
    QSignalSpy progressed(&other, &app::PredictionRequests::progressed);
    other.predict({std::nullopt, 40});
    QTRY_COMPARE(progressed.count(), 1);
    QVERIFY(!hasLabelOf(page, QStringLiteral("predicting")));
    QSignalSpy refused(&run, &RunController::predictionFailed);
    other.cancel({std::nullopt, 40});
    QTRY_COMPARE(refused.count(), 1);
    QVERIFY(!saysInABanner(page));
  }

  /// The answer of the part that was left does not end the request of the shown one.
  void bothPartsArePredictedAtATime() {
    tests::MadeRun made = trainingRun();
    made.trainImages = made.valImages;
    made.trainAnnotations = made.valAnnotations;
    tests::LiveRun live(made);
    RunController run(live.folder);
    connectTo(live, run, {"@await", tests::okOf("app-1", "val.json")});
    PredictionsPage page;
    show(page, run);
    QPushButton* button = buttonOf(page, QStringLiteral("Predict all"));
    QTest::mouseClick(button, Qt::LeftButton);
    QTest::keyClick(comboOf(page, QStringLiteral("Part of the data")), Qt::Key_Down);
    QTRY_VERIFY(page.isReady() && button->isVisible());
    QCOMPARE(button->text(), QStringLiteral("Predict all"));
    QSignalSpy ready(&run, &RunController::predictionReady);
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(button->text(), QStringLiteral("Cancel"));
  }

  void theTrainingPartHasItsOwnImagesAndPredictions() {
    tests::MadeRun made = trainingRun();
    made.trainImages = made.valImages;
    made.trainAnnotations = parent_->filePath(QStringLiteral("train.json")).toStdString();
    QFile file(QString::fromStdString(made.trainAnnotations));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(kDataset).replace("\"id\": 5", "\"id\": 7"));
    file.close();
    tests::LiveRun live(made);
    const auto layout = run_folder::Layout(live.folder.toStdString());
    base::writeFileAtomically(layout.predictionsOfPart(40, "train"), R"({"image_ids": [7],
      "score_threshold": 0.05, "detections": [
      {"image_id": 7, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}]})");
    RunController run(live.folder);
    // Of an image by its file, which has the id 1 in its answer.
    connectTo(live, run, {tests::okOf("app-1", answerFile(R"([{"image_id": 1, "category_id": 1,
      "score": 0.9, "bbox": [1, 1, 4, 4]}])"))});
    PredictionsPage page;
    show(page, run);
    auto* part = comboOf(page, QStringLiteral("Part of the data"));
    QVERIFY(part && part->isVisible());
    QTest::keyClick(part, Qt::Key_Down);
    QTRY_VERIFY(page.isReady() && hasLabel(page, QStringLiteral("1 of 2 images predicted")));
    page.view()->showImage(ImageId{7});
    QCOMPARE(page.view()->currentImage(), ImageId{7});
    auto* stage = page.findChild<widgets::ImageStage*>();
    QCOMPARE(stage->notice(), QString());
    page.view()->showImage(ImageId{3});  // has predictions as a held-out image alone
    QVERIFY(stage->notice().contains(QStringLiteral("not predicted at step 40")));
    clickIn(*stage);
    QTRY_VERIFY(hasLabel(page, QStringLiteral("all 2 images predicted")));
    QTest::keyClick(part, Qt::Key_Up);
    QTRY_VERIFY(page.isReady() && hasLabel(page, QStringLiteral("1 of 2 images predicted")));
    page.view()->showImage(ImageId{5});
    QCOMPARE(page.view()->currentImage(), ImageId{5});
    QVERIFY(live.engine.nextLine().contains("hello"));
    const QByteArray asked = live.engine.nextLine();
    QVERIFY2(asked.contains(parent_->filePath(QStringLiteral("a.png")).toUtf8()), asked);
  }
};

LOCKSTEP_TEST(TstPredictedOnDemand)
#include "tst_predicted_on_demand.moc"
