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
    QTRY_VERIFY(close->isVisible());
    QTest::mouseClick(close, Qt::LeftButton);
    QTRY_VERIFY(page.isReady() && page.view()->currentCheckpoint() == 40);
    QVERIFY(!parts(page).contains(QStringLiteral("Results: other.json")));
  }

  void aFileThatDoesNotFitSaysWhy() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile(
        "foreign.json",
        R"([{"image_id": 7, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]}])")});
    QTRY_VERIFY(saysInABanner(page));
    QTRY_VERIFY(hasLabelOf(page, QStringLiteral("Are they of another dataset?")));
    QCOMPARE(page.view()->currentCheckpoint(), qint64{40});
    QVERIFY(buttonOf(page, QStringLiteral("Judge them by other annotations…"))->isVisible());
  }

  /// Without a run they need annotations of their own.
  void annotationsOfTheirOwnJudgeThem() {
    watchedRun("run");  // writes the annotations and the images
    PredictionsPage page;
    page.resize(1200, 800);
    page.show();
    page.openResults({resultsFile("mine.json", kFifth)});
    QTRY_VERIFY(hasLabelOf(page, QStringLiteral("no run whose data could judge")));
    page.openResults(
        {resultsFile("mine.json", kFifth), parent_->filePath(QStringLiteral("val.json"))});
    QTRY_VERIFY(hasLabel(page, QStringLiteral("mine.json")));
    QTRY_VERIFY(page.isReady());
    QVERIFY(page.view()->shownImage());
  }

  void aChangedFileIsReadAgain() {
    RunController run(tests::makeRun(parent_->path(), watchedRun("run")));
    PredictionsPage page;
    show(page, run);
    page.openResults({resultsFile("live.json", kFifth)});
    const auto* panel = page.findChild<widgets::PredictionsPanel*>();
    QTRY_COMPARE(panel->countText(widgets::Verdict::FalsePositive), QStringLiteral("1"));
    resultsFile("live.json",
                R"([{"image_id": 5, "category_id": 1, "score": 0.9, "bbox": [1, 1, 4, 4]},
                    {"image_id": 3, "category_id": 1, "score": 0.8, "bbox": [2, 1, 4, 4]}])");
    QTRY_COMPARE_WITH_TIMEOUT(panel->countText(widgets::Verdict::FalsePositive),
                              QStringLiteral("2"), 20'000);
  }
};

LOCKSTEP_TEST(TstPredictedResults)
#include "tst_predicted_results.moc"
