// Compare while its runs train, and what it asks their engines for.
#include <QSignalSpy>

#include "app/compare/comparison.h"
#include "app/predictions/prediction_requests.h"
#include "tests/app/compare_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::Comparison;
using app::RunController;
using tests::line;
using tests::okOf;
using tests::progressOf;
using tests::refusalOf;

class TstComparedLiveRuns : public tests::CompareBench {
  Q_OBJECT

 private:
  RunController& run() const { return *runs_.front(); }

  /// Without predictions at its two steps; A is the earlier one.
  void showUnpredicted(const QList<QByteArray>& lines) {
    tests::MadeRun made = tests::LiveRun::madeLive();
    made.keptCheckpoints = {10, 20};
    makeLive(made);
    connectLive(lines);
    show();
    page_->compareCheckpoint(run().folder(), 10);
    boxOf("Checkpoint of B")->setFocus();
    QTRY_COMPARE(emptyTitle(), QStringLiteral("A has no predictions at step 10"));
  }
  void predictAll() { QTest::mouseClick(button("Predict all"), Qt::LeftButton); }
  void writePredictions(std::int64_t step) const {
    const auto file =
        run_folder::Layout(live_->folder.toStdString()).predictionsOfPart(step, "val");
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << R"({"image_ids": [3, 5], "detections": )" << tests::kOfFirst << "}";
  }

 private Q_SLOTS:
  void init() { makePage(); }
  void cleanup() { clearPage(); }

  void newsOfTheRunLeaveWhatIsLookedAt() {
    tests::MadeRun made = tests::LiveRun::madeLive();
    made.keptCheckpoints = {10, 20};
    made.watchedImages = {3, 5};
    makeLive(made);
    const std::int64_t last = live_->last;
    connectLive({line(protocol::Evaluation{last + 1, 21, 0, "evaluations/step-00000021.json"}),
                 line(protocol::Checkpoint{last + 2, 22, 0, "checkpoints/step-00000022"})});
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    page_->setFocus();
    page_->tables()->objectsView()->showFinders({widgets::Finders::Neither});
    QTest::keyClick(page_.get(), Qt::Key_N);
    QTRY_VERIFY(page_->isReady() && page_->view()->first()->pinned() >= 0);
    const int rows = page_->tables()->objects()->rowCount();
    QVERIFY(rows > 0);
    const int pinned = page_->view()->first()->pinned();
    auto* comparison = page_->findChild<Comparison*>();
    const auto compared = comparison->compared();
    QSignalSpy computed(comparison, &Comparison::figuresFound);
    QSignalSpy changed(&run(), &RunController::changed);
    run().saveCheckpoint();  // lets the news come
    QTRY_VERIFY(std::ranges::any_of(changed, [](const QList<QVariant>& signal) {
      return signal[0].value<app::RunChanges>().results();
    }));
    QTRY_VERIFY(page_->isReady());
    QCOMPARE(comparison->compared(), compared);
    QCOMPARE(computed.count(), 0);
    QVERIFY(page_->results() && page_->view()->hasImage());
    QCOMPARE(page_->view()->first()->pinned(), pinned);
    QCOMPARE(page_->tables()->objects()->rowCount(), rows);
  }

  void answersToOthersAreNotOfASide() {
    showUnpredicted({progressOf("app-1", 1, 2), "@await", okOf("app-2", "opened.json"), "@await",
                     refusalOf("app-3", "is truncated"), "@await", okOf("app-1", "all.json")});
    predictAll();
    QTRY_VERIFY(says(QStringLiteral("1 of 2 images")));
    app::PredictionRequests other;
    QSignalSpy ready(&other, &app::PredictionRequests::ready);
    QSignalSpy failed(&other, &app::PredictionRequests::failed);
    other.setRun(&run());
    other.predict({std::nullopt, 10, app::ImagePart::Opened, {QStringLiteral("/a.png")}});
    QTRY_COMPARE(ready.count(), 1);
    QVERIFY(says(QStringLiteral("1 of 2 images")));
    other.predict({std::nullopt, 10});  // also of the very same
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(says(QStringLiteral("1 of 2 images")));
    writePredictions(10);
    run().saveCheckpoint();
    QTRY_COMPARE(emptyTitle(), QStringLiteral("B has no predictions at step 20"));
  }

  void sidesOfOneRunArePredictedAndSwapped() {
    showUnpredicted({progressOf("app-1", 1, 2), "@await", progressOf("app-2", 1, 2), "@await",
                     okOf("app-2", "all.json"), "@await", okOf("app-1", "all.json")});
    predictAll();
    QTRY_VERIFY(says(QStringLiteral("1 of 2 images")));
    page_->setFocus();
    QTest::keyClick(page_.get(), Qt::Key_X);
    QCOMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), 20);
    QCOMPARE(emptyTitle(), QStringLiteral("A has no predictions at step 20"));
    predictAll();
    QTRY_VERIFY(says(QStringLiteral("1 of 2 images")));
    QCOMPARE(emptyTitle(), QStringLiteral("Predicting all images of A"));
    writePredictions(20);
    run().saveCheckpoint();
    QTRY_COMPARE(emptyTitle(), QStringLiteral("Predicting all images of B"));
    QVERIFY(says(QStringLiteral("1 of 2 images")));
    writePredictions(10);
    run().saveCheckpoint();
    QTRY_VERIFY(page_->results() && page_->isReady());
    // Nothing is asked for a second time.
    QStringList asked;
    for (int i = 0; i < 5; ++i) asked << QString::fromUtf8(live_->engine.nextLine());
    QCOMPARE(asked.filter(QStringLiteral("\"predict\"")).size(), 2);
    QCOMPARE(asked.filter(QStringLiteral("\"cancel\"")).size(), 0);
  }

  /// What is compared stays meanwhile.
  void othersArePredictedBesideWhatThereIs() {
    tests::MadeRun made = tests::LiveRun::madeLive();
    made.keptCheckpoints = {10, 20};
    makeLive(made);
    for (const std::int64_t step : {10, 20}) {
      const auto file =
          run_folder::Layout(live_->folder.toStdString()).predictionsOfPart(step, "val");
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << R"({"image_ids": [3], "detections": []})";
    }
    connectLive({progressOf("app-1", 1, 2), "@await", "@await", refusalOf("app-1", "cancelled"),
                 "@await", refusalOf("app-2", "cancelled")});
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(page_->results()->imageCount, std::size_t{1});
    const auto* before = page_->results().operator->();
    QTest::mouseClick(button("Predict the other 1"), Qt::LeftButton);
    QTRY_VERIFY2(page_->verdict().contains(
                     QStringLiteral("Predicting the other images of A: 1 of 2 images.")),
                 qPrintable(page_->verdict()));
    QCOMPARE(page_->results().operator->(), before);
    QTest::mouseClick(button("Cancel"), Qt::LeftButton);
    QVERIFY(!page_->verdict().contains(QStringLiteral("Predicting")));
    QVERIFY(button("Predict the other 1"));
  }

  void aPredictionIsCanceled() {
    showUnpredicted({progressOf("app-1", 1, 2), "@await", refusalOf("app-1", "cancelled")});
    predictAll();
    QTRY_VERIFY(says(QStringLiteral("1 of 2 images")));
    QSignalSpy refused(&run(), &RunController::predictionFailed);
    QTest::mouseClick(button("Cancel"), Qt::LeftButton);
    QTRY_COMPARE(refused.count(), 1);
    QCOMPARE(emptyTitle(), QStringLiteral("A has no predictions at step 10"));
  }

  void aFailedPredictionIsTriedAgainAndForgottenAtAnotherStep() {
    showUnpredicted({refusalOf("app-1", "no memory"), "@await", refusalOf("app-2", "no memory")});
    predictAll();
    QTRY_COMPARE(emptyTitle(), QStringLiteral("A cannot be compared"));
    QVERIFY(says(QStringLiteral("no memory")) && button("Try again"));
    QSignalSpy refused(&run(), &RunController::predictionFailed);
    QTest::mouseClick(button("Try again"), Qt::LeftButton);
    QTRY_COMPARE(refused.count(), 1);
    QCOMPARE(emptyTitle(), QStringLiteral("A cannot be compared"));
    // The run goes on without that checkpoint.
    const run_folder::Layout layout(live_->folder.toStdString());
    std::filesystem::rename(layout.checkpoint(10), layout.checkpoint(5));
    run().refresh();
    QTRY_COMPARE(emptyTitle(), QStringLiteral("A has no predictions at step 5"));
  }
};

LOCKSTEP_TEST(TstComparedLiveRuns)
#include "tst_compared_live_runs.moc"
