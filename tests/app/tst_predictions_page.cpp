#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/frame/main_window.h"
#include "app/monitor/monitor_page.h"
#include "app/predictions/predictions_page.h"
#include "app/runs/runs_panel.h"
#include "engine/base/atomic_file.h"
#include "engine/events/reader.h"
#include "tests/app/live_run.h"
#include "tests/support/test_main.h"
#include "widgets/banner.h"
#include "widgets/image_view/image_stage.h"
#include "widgets/image_view/predictions_panel.h"
#include "widgets/image_view/predictions_view.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/plot_overlay.h"
#include "widgets/slider.h"

using namespace lockstep;
using app::PredictionsPage;
using app::RunController;
using tests::line;

namespace {

const QByteArray kDataset = R"({"images": [
  {"id": 3, "file_name": "a.png", "width": 8, "height": 8},
  {"id": 5, "file_name": "b.png", "width": 8, "height": 8}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": []})";

/// An answer for image 5.
const char* const kFifth =
    R"([{"image_id": 5, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}])";

}  // namespace

class TstPredictionsPage : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> parent_;

  /// A run with predictions of image 3 at 10, 20, 30 and 40.
  tests::MadeRun watchedRun(const char* name) {
    const QString dataset = parent_->filePath(QStringLiteral("val.json"));
    QFile file(dataset);
    if (file.open(QIODevice::WriteOnly)) file.write(kDataset);
    QImage picture(8, 8, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    for (const char* image : {"a.png", "b.png"})
      picture.save(parent_->filePath(QString::fromUtf8(image)));
    tests::MadeRun run;
    run.name = name;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = dataset.toStdString();
    run.watchedImages = {3};
    return run;
  }

  static void show(PredictionsPage& page, RunController& run) {
    page.resize(1200, 800);
    page.setRun(&run);
    run.refresh();
    page.show();
    QVERIFY(QTest::qWaitForWindowActive(&page));  // else keys are no shortcuts yet
    QTRY_VERIFY(run.isLoaded());
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() > 0);
  }
  /// Of such a run that trains. Its engine replies with `lines`: after each `@await` those that
  /// follow one request.
  static void connectTo(tests::LiveRun& live, RunController& run, const QList<QByteArray>& lines) {
    QVERIFY(live.engine.start(QList<QByteArray>{"@mute", live.welcome(), "@await"} + lines));
    run.refresh();
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
  }
  /// With a checkpoint of its last step, 40.
  tests::MadeRun trainingRun() {
    tests::MadeRun made = watchedRun("run");
    made.state = "running";
    made.keptCheckpoints = {40};
    return made;
  }
  std::string answerFile(const char* text) const {
    const std::string file = parent_->filePath(QStringLiteral("answer.json")).toStdString();
    base::writeFileAtomically(file, text);
    return file;
  }
  static bool saysInABanner(const PredictionsPage& page) {
    const auto banners = page.findChildren<widgets::Banner*>();
    return std::ranges::any_of(banners, &widgets::Banner::isVisible);
  }
  /// The button in the place of the image's predictions.
  static void clickIn(const widgets::ImageStage& stage) {
    for (auto* button : stage.findChildren<QPushButton*>())
      if (button->isVisible()) QTest::mouseClick(button, Qt::LeftButton);
  }
  static QPushButton* buttonOf(const PredictionsPage& page, const QString& text) {
    for (auto* button : page.findChildren<QPushButton*>())
      if (button->text() == text) return button;
    return nullptr;
  }
  static bool hasLabel(const PredictionsPage& page, const QString& text) {
    const auto labels = page.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->text() == text; });
  }
  static bool hasLabelOf(const PredictionsPage& page, const QString& part) {
    const auto labels = page.findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(),
                       [&](const QLabel* label) { return label->text().contains(part); });
  }
  static QComboBox* comboOf(const PredictionsPage& page, const QString& name) {
    for (auto* combo : page.findChildren<QComboBox*>())
      if (combo->accessibleName() == name) return combo;
    return nullptr;
  }
  /// Number of steps of the checkpoint slider.
  static int offered(const PredictionsPage& page) {
    for (const auto* slider : page.findChildren<widgets::Slider*>())
      if (slider->accessibleName().startsWith(QStringLiteral("step"))) return slider->maximum() + 1;
    return 0;
  }

 private Q_SLOTS:
  void init() { parent_ = std::make_unique<QTemporaryDir>(); }

  void deletedCheckpointsOfferTheirStoredPredictions() {
    tests::MadeRun made = watchedRun("run");
    made.keptCheckpoints = {40};
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    QCOMPARE(page.view()->currentCheckpoint(), qint64{40});
    QCOMPARE(offered(page), 4);
    auto* stage = page.findChild<widgets::ImageStage*>();
    page.view()->showImage(ImageId{5});
    QVERIFY(stage->notice().contains(QStringLiteral("not predicted at step 40.")));
    page.view()->setCurrentCheckpoint(20);
    QVERIFY(stage->notice().contains(QStringLiteral("the nearest checkpoint is that of step 40")));
  }

  void aCheckpointThatVanishesStaysInSightUntilAnotherIsAskedFor() {
    tests::MadeRun made = watchedRun("run");
    made.watchedImages.clear();
    made.keptCheckpoints = {20, 40};
    const QString folder = tests::makeRun(parent_->path(), made);
    RunController run(folder);
    PredictionsPage page;
    show(page, run);
    QCOMPARE(page.view()->currentCheckpoint(), qint64{40});
    const auto layout = run_folder::Layout(folder.toStdString());
    QVERIFY(QDir(QString::fromStdString(layout.checkpoint(40).string())).removeRecursively());
    run.refresh();
    auto* stage = page.findChild<widgets::ImageStage*>();
    QTRY_VERIFY(stage->notice().startsWith(QStringLiteral("The checkpoint of step 40 is gone")));
    QCOMPARE(page.view()->currentCheckpoint(), qint64{40});
    QVERIFY(page.view()->shownImage());
    QPushButton* button = buttonOf(page, QStringLiteral("Go to step 20"));
    QVERIFY(button && button->isVisible());
    QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(page.view()->currentCheckpoint(), qint64{20});
    QVERIFY(stage->notice().contains(QStringLiteral("not predicted at step 20")));
    run.refresh();
    QTRY_COMPARE(offered(page), 1);
  }

  void aKeyGoesToTheNearestCheckpointThatPredictedTheImage() {
    tests::MadeRun made = watchedRun("run");
    made.keptCheckpoints = {15, 40};
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    page.view()->setCurrentCheckpoint(15);
    auto* stage = page.findChild<widgets::ImageStage*>();
    QTRY_VERIFY(stage->notice().contains(QStringLiteral("not predicted at step 15")));
    page.view()->setFocus();
    QTest::keyClick(page.view(), Qt::Key_Period, Qt::ShiftModifier);
    QCOMPARE(page.view()->currentCheckpoint(), qint64{10});  // the older of two
    QTest::keyClick(page.view(), Qt::Key_Period, Qt::ShiftModifier);
    QCOMPARE(page.view()->currentCheckpoint(), qint64{20});
  }

  void theChosenPartIsKept() {
    tests::MadeRun made = watchedRun("run");
    made.trainImages = made.valImages;
    made.trainAnnotations = made.valAnnotations;
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    QTest::keyClick(comboOf(page, QStringLiteral("Part of the data")), Qt::Key_Down);
    QTRY_VERIFY(page.isReady());
    PredictionsPage next;
    next.restoreViewState(page.viewState());
    show(next, run);
    QCOMPARE(comboOf(next, QStringLiteral("Part of the data"))->currentIndex(), 1);
  }

  /// Pointing at a curve reads it; only a curve that was clicked, or its keys, choose a checkpoint.
  void hoveringACurveMovesNothingAndAClickOrAKeyDoes() {
    const QString folder = tests::makeRun(parent_->path(), watchedRun("a"));
    widgets::ThemeSwitch theme;
    app::MainWindowOptions options;
    options.paths = {folder};
    options.keepLayout = false;
    app::MainWindow window(&theme, options);
    window.resize(1200, 800);
    window.show();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    window.showPage(app::Page::Predictions);
    auto* page = window.findChild<PredictionsPage*>();
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{40});
    QTRY_VERIFY(window.isReady());
    window.showPage(app::Page::Monitor);
    QTRY_VERIFY(window.isReady());
    widgets::CurvePlot* plot = window.monitorPage()->cards().front()->plot();
    QWidget* area = plot->findChild<widgets::PlotOverlay*>();
    QSignalSpy read(plot, &widgets::CurvePlot::cursorMoved);
    const QPoint middle = area->rect().center();
    for (int x = 0; x < 3; ++x) QTest::mouseMove(area, middle + QPoint(x, 0));
    QTRY_VERIFY(read.count() > 0);
    QCOMPARE(page->view()->currentCheckpoint(), qint64{40});
    QTest::mouseClick(area, Qt::LeftButton, {}, middle);
    QTest::mouseMove(area, middle + QPoint(5, 0));
    QTRY_VERIFY(page->view()->currentCheckpoint() < 40);
    QTest::keyClick(plot, Qt::Key_End);
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{40});
    QTest::keyClick(plot, Qt::Key_Home);
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{10});
  }

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

  void itOpensAtAKeptCheckpoint() {
    tests::MadeRun made = watchedRun("run");
    made.keptCheckpoints = {20};
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    QCOMPARE(page.view()->currentCheckpoint(), qint64{20});
  }

  void checkpointsWithoutPredictionsOrWeightsAreNotOffered() {
    tests::MadeRun made = watchedRun("run");
    made.watchedImages.clear();
    made.keptCheckpoints = {30};
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    QCOMPARE(page.view()->currentCheckpoint(), qint64{30});
    QCOMPARE(offered(page), 1);
  }

  void aResumedRunDropsThePredictionsOfCutSteps() {
    tests::MadeRun made = watchedRun("run");
    made.state = "running";
    const QString folder = tests::makeRun(parent_->path(), made);
    const run_folder::Layout layout{folder.toStdString()};
    run_folder::RunInfo info = run_folder::readRunInfo(layout);
    tests::FakeSocket engine;
    info.socket = engine.path().toStdString();
    run_folder::writeRunInfo(layout, info);
    const auto lock = run_folder::RunLock::tryAcquire(layout);
    events::Reader reader(events::findEventFile(folder.toStdString()));
    std::int64_t last = 0, cut = 0;
    for (const events::Record& record : reader.readAvailable()) {
      last = record.seq;
      if (record.step <= 20) cut = record.seq;
    }
    QVERIFY(engine.start(
        {line(protocol::Welcome{folder.toStdString(), 1, last, protocol::RunState::Running}),
         "@await", line(protocol::Reset{cut, 20})}));
    RunController run(folder);
    PredictionsPage page;
    show(page, run);
    QCOMPARE(page.view()->currentCheckpoint(), qint64{40});
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    run.saveCheckpoint();  // lets the reset come
    QTRY_COMPARE(page.view()->currentCheckpoint(), qint64{20});
    QCOMPARE(offered(page), 2);
    QTRY_VERIFY(page.isReady());
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

  void aRunWithoutTrainingImagesKeepsItsHeldOutOnes() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    QTest::keyClick(comboOf(page, QStringLiteral("Part of the data")), Qt::Key_Down);
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    QCOMPARE(comboOf(page, QStringLiteral("Part of the data"))->currentIndex(), 0);
    QVERIFY(hasLabelOf(page, QStringLiteral("This run has no dataset.train.")));
  }

  void predictionsOfImagesOutsideTheDatasetAreSaid() {
    tests::MadeRun made = watchedRun("run");
    made.watchedImages = {3, 99};
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    auto* label = page.findChild<QLabel*>(QStringLiteral("foreignPredictions"));
    QVERIFY(label->isVisible());
    QVERIFY2(label->text().startsWith(QStringLiteral("Predictions of 1 image")),
             qPrintable(label->text()));
  }

  void anImageOfOtherDataIsNotTheSame() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    tests::MadeRun strange = watchedRun("strange");
    strange.valAnnotations = parent_->filePath(QStringLiteral("other.json")).toStdString();
    QFile file(QString::fromStdString(strange.valAnnotations));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(kDataset).replace("b.png", "c.png"));
    file.close();
    RunController other(tests::makeRun(parent_->path(), strange));
    PredictionsPage page;
    show(page, run);
    page.view()->showImage(ImageId{5});
    show(page, other);
    QCOMPARE(page.view()->currentImage(), ImageId{3});
    show(page, run);
    QCOMPARE(page.view()->currentImage(), ImageId{3});  // shown last, and the same image
  }

  void aStepRequestedForOneRunIsNotUsedForAnother() {
    const QString a = tests::makeRun(parent_->path(), watchedRun("a"));
    const QString b = tests::makeRun(parent_->path(), watchedRun("b"));
    widgets::ThemeSwitch theme;
    app::MainWindowOptions options;
    options.paths = {parent_->path()};
    options.keepLayout = false;
    app::MainWindow window(&theme, options);
    window.show();
    window.runsPanel()->selectRun(a);
    QTRY_COMPARE(window.runsPanel()->currentRun(), a);
    QTRY_VERIFY(window.isReady());
    Q_EMIT window.monitorPage()->predictionsRequested(25);
    window.runsPanel()->selectRun(b);
    QTRY_COMPARE(window.runsPanel()->currentRun(), b);
    window.showPage(app::Page::Predictions);
    auto* page = window.findChild<PredictionsPage*>();
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{40});
    QTRY_VERIFY(window.isReady());
    QCOMPARE(page->view()->currentCheckpoint(), qint64{40});

    page->hide();  // chosen while the page reads nothing yet
    window.runsPanel()->selectRun(a);
    QTRY_COMPARE(window.runsPanel()->currentRun(), a);
    Q_EMIT window.monitorPage()->predictionsRequested(15);
    window.runsPanel()->selectRun(b);
    QTRY_COMPARE(window.runsPanel()->currentRun(), b);
    page->show();
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{40});
    QTRY_VERIFY(window.isReady());
    QCOMPARE(page->view()->currentCheckpoint(), qint64{40});

    Q_EMIT window.monitorPage()->predictionsRequested(15);  // of this run
    QCOMPARE(page->view()->currentCheckpoint(), qint64{10});
  }
};

LOCKSTEP_TEST(TstPredictionsPage)
#include "tst_predictions_page.moc"
