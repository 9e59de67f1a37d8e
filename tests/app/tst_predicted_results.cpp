#include <QDir>
#include <QMimeData>
#include <QSignalSpy>
#include <QToolButton>
#include <QUrl>
#include <algorithm>

#include "tests/app/chosen_files.h"
#include "tests/app/dropped_files.h"
#include "tests/app/predictions_page_bench.h"
#include "tests/support/test_main.h"
#include "widgets/image_view/predictions_panel.h"

using namespace lockstep;
using app::PredictionsPage;
using app::RunController;

/// A results file of another program on the Predictions page.
class TstPredictedResults : public QObject, protected tests::PredictionsPageBench {
  Q_OBJECT

 private:
  /// Annotations of none of the held-out images.
  static constexpr const char* kOtherImage = R"({"images": [
    {"id": 7, "file_name": "a.png", "width": 8, "height": 8}],
    "categories": [{"id": 1, "name": "thing"}], "annotations": []})";

  QString resultsFile(const char* name, const char* text) const {
    const QString file = parent_->filePath(QLatin1String(name));
    base::writeFileAtomically(file.toStdString(), text);
    return file;
  }
  /// Of the part of the data: the places of its choice.
  static QStringList parts(const PredictionsPage& page) {
    const QComboBox* combo = comboOf(page, QStringLiteral("Part of the data"));
    QStringList names;
    for (int i = 0; i < combo->count(); ++i) names << combo->itemText(i);
    return names;
  }

 private Q_SLOTS:
  void init() { parent_ = std::make_unique<QTemporaryDir>(); }

  void theyAreJudgedByTheRunsHeldOutImages() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile("detectron2.json", kFifth)});
    QTRY_VERIFY(parts(page).contains(QStringLiteral("Results: detectron2.json")));
    QTRY_VERIFY(page.isReady());
    QTRY_VERIFY(hasLabel(page, QStringLiteral("detectron2.json")));  // in the place of the step
    QTRY_VERIFY(hasLabel(page, QStringLiteral("all 2 images predicted")));
    page.view()->showImage(ImageId{5});
    QTRY_VERIFY(page.isReady());
    const auto* panel = page.findChild<widgets::PredictionsPanel*>();
    QTRY_COMPARE(panel->countText(widgets::Verdict::FalsePositive), QStringLiteral("1"));

    QComboBox* part = comboOf(page, QStringLiteral("Part of the data"));
    part->setCurrentIndex(0);
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 40);
    part->setCurrentIndex(part->count() - 1);  // they are still open
    QTRY_VERIFY(hasLabel(page, QStringLiteral("detectron2.json")));
  }

  void closingThemShowsTheRunAgain() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile("other.json", kFifth)});
    QTRY_VERIFY(parts(page).contains(QStringLiteral("Results: other.json")));
    auto* close = page.findChild<QToolButton*>(QStringLiteral("closePart"));
    QTRY_VERIFY(close->isVisible() && page.isReady());
    page.view()->showImage(ImageId{5});
    QTest::mouseClick(close, Qt::LeftButton);
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 40);
    QVERIFY(!parts(page).contains(QStringLiteral("Results: other.json")));
    QCOMPARE(page.view()->currentImage(), ImageId{5});
  }

  void onlyAStepThatIsAskedForLeavesThem() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile("other.json", kFifth)});
    QTRY_VERIFY(hasLabel(page, QStringLiteral("other.json")));
    page.followCursor(20);
    QTRY_VERIFY(page.isReady());
    QVERIFY(hasLabel(page, QStringLiteral("other.json")));
    QCOMPARE(page.view()->currentCheckpoint(), qint64{0});
    page.showStep(20);
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 20);
    QVERIFY(!hasLabel(page, QStringLiteral("other.json")));
    QVERIFY(parts(page).contains(QStringLiteral("Results: other.json")));
  }

  void theyWaitForTheDataOfARunThatIsBeingRead() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    run.refresh();
    page.show();
    page.openResults({resultsFile("early.json", kFifth)});
    QVERIFY(!hasLabelOf(page, QStringLiteral("need a ground truth")));
    QTRY_VERIFY(hasLabel(page, QStringLiteral("early.json")));
    QTRY_VERIFY(page.isReady());
    QVERIFY(!saysInABanner(page));
  }

  void theyAreThereAfterARestart() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    const QString file = resultsFile("other.json", kFifth);
    QVariantMap state;
    {
      PredictionsPage page;
      show(page, run);
      page.openResults({file});
      QTRY_VERIFY(hasLabel(page, QStringLiteral("other.json")) && page.isReady());
      page.view()->showImage(ImageId{5});
      state = page.viewState();
    }
    PredictionsPage next;
    next.restoreViewState(state);
    QCOMPARE(next.viewState().value(QStringLiteral("results")).toString(), file);
    next.resize(1200, 800);
    next.setRun(&run);
    next.show();
    QVERIFY(QTest::qWaitForWindowActive(&next));
    QTRY_VERIFY(hasLabel(next, QStringLiteral("other.json")) && next.isReady());
    QCOMPARE(next.view()->currentImage(), ImageId{5});
    QTest::mouseClick(next.findChild<QToolButton*>(QStringLiteral("closePart")), Qt::LeftButton);
    QTRY_VERIFY(next.isReady() && next.view()->currentCheckpoint() == 40);
    QVERIFY(!next.viewState().contains(QStringLiteral("results")));

    RunController other(tests::makeRun(parent_->path(), watchedRun("other")));
    PredictionsPage elsewhere;  // another run is chosen instead
    elsewhere.restoreViewState(state);
    show(elsewhere, other);
    QVERIFY(!elsewhere.viewState().contains(QStringLiteral("results")));
  }

  void theirOwnAnnotationsAreThereAfterARestartWithoutARun() {
    const QString annotations = resultsFile("own.json", kOtherImage);
    PredictionsPage page;
    page.show();
    page.openResults({resultsFile("other.json", "[]"), annotations});
    QTRY_VERIFY(hasLabel(page, QStringLiteral("other.json")) && page.isReady());
    PredictionsPage next;
    next.restoreViewState(page.viewState());
    next.show();
    QTRY_VERIFY(hasLabel(next, QStringLiteral("other.json")) && next.isReady());
    QCOMPARE(next.viewState().value(QStringLiteral("annotations")).toString(), annotations);
  }

  void aDroppedFileIsOpened() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(resultsFile("dropped.json", kFifth))});
    tests::drop(page, data);
    QTRY_VERIFY(hasLabel(page, QStringLiteral("dropped.json")));
  }

  void aKeyAsksForAFile() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.view()->setFocus();
    const tests::ChosenFiles chosen({resultsFile("chosen.json", kFifth)});
    QTest::keyClick(page.view(), Qt::Key_O, Qt::ShiftModifier);
    QTRY_VERIFY(hasLabel(page, QStringLiteral("chosen.json")));
    QVERIFY(chosen.areChosen());
  }

  void aLateAnswerOfTheRunIsNotAmongThem() {
    tests::LiveRun live(trainingRun());
    RunController run(live.folder);
    connectTo(live, run, {"@await", tests::okOf("app-1", answerFile(kFifth))});
    QSignalSpy answered(&run, &RunController::predictionReady);
    PredictionsPage page;
    show(page, run);
    page.view()->showImage(ImageId{5});
    clickIn(*page.findChild<widgets::ImageStage*>());  // asks for its prediction
    page.openResults({resultsFile("mine.json", kFifth)});
    QTRY_VERIFY(hasLabel(page, QStringLiteral("mine.json")));
    run.saveCheckpoint();  // lets the answer come
    QTRY_COMPARE(answered.count(), 1);
    QTRY_VERIFY(page.isReady());
    QCOMPARE(page.view()->currentCheckpoint(), qint64{0});
    const auto sliders = page.findChildren<widgets::Slider*>();
    const auto ofSteps =
        std::ranges::find(sliders, QStringLiteral("mine.json"), &widgets::Slider::accessibleName);
    QVERIFY(ofSteps != sliders.end());
    QCOMPARE((*ofSteps)->maximum(), 0);
  }

  void readingThemCanBeCanceled() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile("unwanted.json", kFifth)});
    QPushButton* cancel = buttonOf(page, QStringLiteral("Cancel"));
    QVERIFY(cancel && cancel->isVisible());
    QTest::mouseClick(cancel, Qt::LeftButton);
    QVERIFY(!saysInABanner(page));
    QTRY_VERIFY(page.isReady());
    QVERIFY(jobs::waitForAll(std::chrono::seconds(5)));
    QCoreApplication::processEvents();
    QCOMPARE(page.view()->currentCheckpoint(), qint64{40});
    QVERIFY(!parts(page).contains(QStringLiteral("Results: unwanted.json")));
  }

  /// Its predictions are in no file that is known here, and neither are its annotations.
  void ofAForeignRunTheAnnotationsAreAskedForToo() {
    watchedRun("run");  // writes the annotations and the images
    const QString folder = parent_->filePath(QStringLiteral("detectron"));
    QVERIFY(QDir().mkpath(folder));
    base::writeFileAtomically(
        QDir(folder).filePath(QStringLiteral("metrics.json")).toStdString(),
        "{\"iteration\": 20, \"total_loss\": 1.0, \"loss_mask\": 0.5, \"lr\": 0.01}\n");
    RunController run(folder);
    PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    run.refresh();
    page.show();
    QTRY_VERIFY(run.isLoaded() && run.program());
    QTRY_VERIFY(buttonOf(page, QStringLiteral("Open results…")));
    QPushButton* button = buttonOf(page, QStringLiteral("Open results…"));
    QTRY_VERIFY(button->isVisible());
    const tests::ChosenFiles chosen(
        {resultsFile("theirs.json", kFifth), parent_->filePath(QStringLiteral("val.json"))});
    QTest::mouseClick(button, Qt::LeftButton);
    QTRY_VERIFY(hasLabel(page, QStringLiteral("theirs.json")));
    QVERIFY(chosen.areChosen());
    QTRY_VERIFY(page.isReady());
    QVERIFY(page.view()->shownImage());
  }

  void aFileThatDoesNotFitSaysWhy() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile(
        "foreign.json",
        R"([{"image_id": 7, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}])")});
    QTRY_VERIFY(saysInABanner(page));
    QTRY_VERIFY(hasLabelOf(page, QStringLiteral("choose its ground truth")));
    QCOMPARE(page.view()->currentCheckpoint(), qint64{40});
    QVERIFY(buttonOf(page, QStringLiteral("Choose ground truth…"))->isVisible());
  }

  void aFileThatCannotBeReadIsNotOfferedOtherAnnotations() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile("broken.json", R"([{"image_id": 5, )")});
    QTRY_VERIFY(hasLabelOf(page, QStringLiteral("COCO results are a JSON list")));
    QVERIFY(saysInABanner(page) && page.isReady());
    QVERIFY(!buttonOf(page, QStringLiteral("Choose ground truth…")));
  }

  void scoresThatAreNoneAreSaid() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile(
        "odd.json", R"([{"image_id": 5, "category_id": 1, "score": -2, "bbox": [1, 1, 4, 4]},
                        {"image_id": 3, "category_id": 1, "score": -1, "bbox": [1, 1, 4, 4]}])")});
    QTRY_VERIFY(
        hasLabelOf(page, QStringLiteral("odd.json: 2 results have a score outside 0 to 1")));
    QVERIFY(saysInABanner(page));
    QTRY_VERIFY(hasLabel(page, QStringLiteral("2 detections, all with lower scores")));
  }

  /// Without a run they need annotations of their own.
  void annotationsOfTheirOwnJudgeThem() {
    watchedRun("run");  // writes the annotations and the images
    PredictionsPage page;
    page.resize(1200, 800);
    page.show();
    page.openResults({resultsFile("mine.json", kFifth)});
    QTRY_VERIFY(hasLabelOf(page, QStringLiteral("need a ground truth")));
    QVERIFY(saysInABanner(page));  // above the empty page
    page.openResults(
        {resultsFile("mine.json", kFifth), parent_->filePath(QStringLiteral("val.json"))});
    QTRY_VERIFY(hasLabel(page, QStringLiteral("mine.json")));
    QTRY_VERIFY(page.isReady());
    QVERIFY(page.view()->shownImage());
  }

  void aChangedFileIsJudgedAgainByWhatHasJudgedIt() {
    tests::MadeRun made = watchedRun("run");
    made.trainImages = made.valImages;
    made.trainAnnotations = resultsFile("train.json", kOtherImage).toStdString();
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile("live.json", kFifth)});
    QTRY_VERIFY(page.isReady() && hasLabel(page, QStringLiteral("live.json")));
    page.view()->showImage(ImageId{5});
    const auto* panel = page.findChild<widgets::PredictionsPanel*>();
    QTRY_COMPARE(panel->countText(widgets::Verdict::FalsePositive), QStringLiteral("1"));
    QComboBox* part = comboOf(page, QStringLiteral("Part of the data"));
    part->setCurrentIndex(1);
    QTRY_VERIFY(page.view()->shownImage() && page.view()->shownImage()->id == ImageId{7});
    part->setCurrentIndex(part->count() - 1);
    QTRY_COMPARE(panel->countText(widgets::Verdict::FalsePositive), QStringLiteral("1"));
    page.view()->showImage(ImageId{5});
    resultsFile("live.json",
                R"([{"image_id": 5, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]},
                    {"image_id": 3, "category_id": 1, "score": 0.8, "bbox": [2, 1, 4, 4]}])");
    QTRY_COMPARE_WITH_TIMEOUT(panel->countText(widgets::Verdict::FalsePositive),
                              QStringLiteral("2"), 20'000);
    QCOMPARE(page.view()->currentImage(), ImageId{5});
  }
};

LOCKSTEP_TEST(TstPredictedResults)
#include "tst_predicted_results.moc"
