#include <QDir>
#include <QSignalSpy>

#include "app/frame/page_area.h"
#include "app/monitor/monitor_page.h"
#include "engine/events/reader.h"
#include "tests/app/predictions_page_bench.h"
#include "tests/support/test_main.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/curve_plot.h"
#include "widgets/plots/plot_overlay.h"

using namespace lockstep;
using app::PredictionsPage;
using app::RunController;
using tests::line;

class TstPredictionsPage : public QObject, protected tests::PredictionsPageBench {
  Q_OBJECT

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
    RunController run(tests::makeRun(parent_->path(), watchedRun("a")));
    app::PageArea pages({});
    show(pages, run);
    pages.showPage(app::Page::Predictions);
    const PredictionsPage* page = pages.predictionsPage();
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{40});
    QTRY_VERIFY(pages.isReady());
    pages.showPage(app::Page::Monitor);
    QTRY_VERIFY(pages.isReady());
    widgets::CurvePlot* plot = pages.monitorPage()->cards().front()->plot();
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

  void aRunWithoutTrainingImagesKeepsItsHeldOutOnes() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    QTest::keyClick(comboOf(page, QStringLiteral("Part of the data")), Qt::Key_Down);
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    QCOMPARE(comboOf(page, QStringLiteral("Part of the data"))->currentIndex(), 0);
    QVERIFY(hasLabelOf(page, QStringLiteral("This run has no dataset.train.")));
  }

  void aRunWithoutValidationImagesOffersItsTrainingImages() {
    tests::MadeRun made = watchedRun("run");
    made.valImages.swap(made.trainImages);
    made.valAnnotations.swap(made.trainAnnotations);
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    page.resize(1200, 800);
    page.setRun(&run);
    run.refresh();
    page.show();
    QPushButton* training = nullptr;
    QTRY_VERIFY((training = buttonOf(page, QStringLiteral("Training images"))) &&
                training->isVisible());
    QTest::mouseClick(training, Qt::LeftButton);
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    QCOMPARE(comboOf(page, QStringLiteral("Part of the data"))->currentIndex(), 1);
  }

  void anInstanceThatIsAskedForLeavesTheTrainingImages() {
    tests::MadeRun made = watchedRun("run");
    made.trainImages = made.valImages;
    made.trainAnnotations = made.valAnnotations;
    RunController run(tests::makeRun(parent_->path(), made));
    PredictionsPage page;
    show(page, run);
    QTest::keyClick(comboOf(page, QStringLiteral("Part of the data")), Qt::Key_Down);
    QTRY_VERIFY(page.view()->shownImage() && page.isReady());
    const coco::Image image{ImageId{3}, "a.png", 8, 8};
    page.showInstance(run.folder(), 20, image, {0, -1, CategoryId{1}, 0.9});
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 20);
    QCOMPARE(comboOf(page, QStringLiteral("Part of the data"))->currentIndex(), 0);
    QTRY_VERIFY(page.view()->chosenInstance());
    QCOMPARE(page.view()->chosenInstance()->facts.detection, 0);
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
    RunController a(tests::makeRun(parent_->path(), watchedRun("a")));
    RunController b(tests::makeRun(parent_->path(), watchedRun("b")));
    app::PageArea pages({});
    show(pages, b);
    show(pages, a);
    Q_EMIT pages.monitorPage()->predictionsRequested(25);
    show(pages, b);
    pages.showPage(app::Page::Predictions);
    PredictionsPage* page = pages.predictionsPage();
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{40});
    QTRY_VERIFY(pages.isReady());
    QCOMPARE(page->view()->currentCheckpoint(), qint64{40});

    page->hide();  // chosen while the page reads nothing yet
    pages.showRuns({{&a, QStringLiteral("a")}});
    Q_EMIT pages.monitorPage()->predictionsRequested(15);
    pages.showRuns({{&b, QStringLiteral("b")}});
    page->show();
    QTRY_COMPARE(page->view()->currentCheckpoint(), qint64{40});
    QTRY_VERIFY(pages.isReady());
    QCOMPARE(page->view()->currentCheckpoint(), qint64{40});

    Q_EMIT pages.monitorPage()->predictionsRequested(15);  // of this run
    QCOMPARE(page->view()->currentCheckpoint(), qint64{10});
  }

 private:
  using PredictionsPageBench::show;
  /// All pages of the window, with a run.
  static void show(app::PageArea& pages, RunController& run) {
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    pages.showRuns({{&run, QString::fromStdString(run.info().name)}});
    pages.resize(1200, 800);
    pages.show();
    QVERIFY(QTest::qWaitForWindowActive(&pages));
    QTRY_VERIFY(pages.isReady());
  }
};

LOCKSTEP_TEST(TstPredictionsPage)
#include "tst_predictions_page.moc"
