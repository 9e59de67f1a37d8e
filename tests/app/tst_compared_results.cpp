// Compare with results files of any program, with curves, and with what was chosen before.
#include <QDir>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLocale>

#include "app/compare/compared_curves.h"
#include "tests/app/compare_bench.h"
#include "tests/support/test_main.h"
#include "widgets/plots/axis_choice.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/plot_overlay.h"

using namespace lockstep;
using app::ComparePage;
using tests::kDataset;
using tests::kOfFirst;
using tests::kOfSecond;

class TstComparedResults : public tests::CompareBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { makePage(); }
  void cleanup() { clearPage(); }

  void resultsOfAnyProgramAreComparedWithARun() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    const QString file = write("theirs.json", kOfSecond);
    QCOMPARE(drop({file}), QStringLiteral("Drop to open the results theirs.json as B\n"
                                          "(in the left half: as A)"));
    QTRY_VERIFY(page_->results() && page_->isReady());
    const auto set =
        coco::Dataset::load(parent_->filePath(QStringLiteral("val.json")).toStdString());
    QCOMPARE(
        page_->results()->first.stats,
        coco::evaluate(set, coco::parseDetections(kOfFirst, "made"), coco::IouType::Box).stats);
    QCOMPARE(
        page_->results()->second.stats,
        coco::evaluate(set, coco::parseDetections(kOfSecond, "made"), coco::IouType::Box).stats);
    QCOMPARE(boxOf("Run of B")->currentText(), QStringLiteral("theirs.json"));
    QCOMPARE(page_->tables()->confusions()->model()->rowCount(), 2);
    QTRY_VERIFY(page_->view()->hasImage());
  }

  /// Wherever the other results are by then.
  void aFileTakesTheSideThatItIsDroppedOn() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    drop({write("theirs.json", kOfSecond)}, 0);
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(boxOf("Run of A")->currentText(), QStringLiteral("theirs.json"));
    QCOMPARE(boxOf("Run of B")->currentText(), QStringLiteral("one"));
    page_->setFocus();
    QTest::keyClick(page_.get(), Qt::Key_X);
    drop({write("new.json", kOfSecond)}, 1);
    QCOMPARE(boxOf("Run of A")->currentText(), QStringLiteral("one"));
    QCOMPARE(boxOf("Run of B")->currentText(), QStringLiteral("new.json"));
  }

  void filesOfOneNameAreToldApart() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    const auto writeIn = [this](const QString& folder) {
      QDir(parent_->path()).mkpath(folder);
      const QString copy = parent_->filePath(folder + QStringLiteral("/results.json"));
      QFile::copy(write("results.json", kOfSecond), copy);
      return copy;
    };
    const QString first = writeIn(QStringLiteral("first")),
                  second = writeIn(QStringLiteral("second"));
    QCOMPARE(
        drop({first, second}),
        QStringLiteral("Drop to compare first/results.json as A with second/results.json as B"));
    QCOMPARE(boxOf("Run of A")->currentText(), QStringLiteral("first/results.json"));
    QCOMPARE(boxOf("Run of B")->currentText(), QStringLiteral("second/results.json"));
  }

  void aFileThatIsBeingReadIsCancelled() {
    showTwo();
    page_->openResults({write("theirs.json", kOfSecond)});
    QCOMPARE(emptyTitle(), QStringLiteral("Reading B: theirs.json"));
    QTest::mouseClick(button("Cancel"), Qt::LeftButton);
    QCOMPARE(emptyTitle(), QStringLiteral("B cannot be compared"));
    QVERIFY(says(QStringLiteral("was cancelled")));
    QVERIFY(!page_->results());
    QTest::mouseClick(button("Read it again"), Qt::LeftButton);
    QTRY_VERIFY(page_->results() && page_->isReady());
  }

  void masksOfAnotherSizeAreNamedWithTheirImage() {
    QByteArray masks = kDataset;
    masks.replace("\"iscrowd\": 0",
                  "\"iscrowd\": 0, \"segmentation\": [[2, 2, 12, 2, 12, 12, 2, 12]]");
    addRun("one", kOfFirst, write("val.json", masks));
    show();
    page_->openResults({write("theirs.json", R"([
      {"image_id": 3, "category_id": 1, "score": 0.9, "segmentation": {"size": [40, 40], "counts": "0Pb1"}},
      {"image_id": 5, "category_id": 1, "score": 0.8, "segmentation": {"size": [20, 30], "counts": "0hb0"}}])")});
    QTRY_COMPARE(emptyTitle(), QStringLiteral("B cannot be compared"));
    QVERIFY(says(QStringLiteral("has masks of 30x20 in an image of 40x40 (b.png, image 5)")));
    write("theirs.json", kOfSecond);  // mended
    QTest::mouseClick(button("Read it again"), Qt::LeftButton);
    QTRY_VERIFY(page_->results() && page_->isReady());
  }

  void twoResultsFilesAskForTheirAnnotations() {
    show();
    drop({write("a.json", kOfFirst), write("b.json", kOfSecond)});
    QTRY_COMPARE(emptyTitle(), QStringLiteral("The ground truth of A is not known"));
    page_->openResults({parent_->filePath(QStringLiteral("b.json")), write("val.json", kDataset)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(page_->results()->imageCount, std::size_t{2});
    QTRY_VERIFY(page_->view()->hasImage());  // found beside the annotations
  }

  void unreadableResultsAreSaidBeforeAnnotationsAreAskedFor() {
    show();
    page_->openResults({write("cut.json", R"([{"image_id": 3, )")});
    QTRY_COMPARE(emptyTitle(), QStringLiteral("A cannot be compared"));
    QVERIFY(says(QStringLiteral("COCO results are a JSON list")));
    page_->openResultsAt(0, {write("a.json", kOfFirst)});
    page_->openResultsAt(1, {write("b.json", kOfSecond)});
    QTRY_COMPARE(emptyTitle(), QStringLiteral("The ground truth of A is not known"));
  }

  /// Whichever of two files they were chosen for, and at the next start.
  void theLastAnnotationsJudgeTheNextFiles() {
    show();
    const QString annotations = write("val.json", kDataset);
    page_->openResultsAt(0, {write("a.json", kOfFirst), annotations});
    page_->openResultsAt(1, {write("b.json", kOfSecond)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    const QVariantMap state = page_->viewState();
    addRun("one", kOfFirst, annotations);
    show();
    boxOf("Run of A")->setFocus();
    QTest::keyClick(boxOf("Run of A"), Qt::Key_Home);  // the run judges both
    QTRY_VERIFY(page_->results() && page_->isReady());
    page_->openResultsAt(0, {write("c.json", kOfSecond)});
    QTRY_VERIFY2(page_->results() && page_->isReady(), qPrintable(emptyTitle()));
    QVariantMap lastOnly = state;
    lastOnly.remove(QStringLiteral("sides"));
    page_ = std::make_unique<ComparePage>();
    page_->restoreViewState(lastOnly);
    runs_.clear();
    show();
    drop(
        {parent_->filePath(QStringLiteral("a.json")), parent_->filePath(QStringLiteral("b.json"))});
    QTRY_VERIFY2(page_->results() && page_->isReady(), qPrintable(emptyTitle()));
  }

  /// Where only one of them finds nothing, others are listed meanwhile.
  void openedResultsLeaveWhichObjectsAreListed() {
    showTwo();
    const auto listed = [this] { return boxOf("Which objects are listed")->currentIndex(); };
    QCOMPARE(listed(), 0);
    page_->openResults({write("same.json", kOfFirst)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    QVERIFY(listed() > 0 && page_->tables()->objects()->rowCount() > 0);
    page_->openResults({write("theirs.json", kOfSecond)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(listed(), 0);
    QCOMPARE(page_->tables()->objects()->rowCount(), 4);
  }

  /// Also of a list that a cell has taken the place of.
  void theFilterOfObjectsIsThereAfterARestart() {
    showTwo();
    auto* least = page_->tables()->objectsView()->findChild<QDoubleSpinBox*>();
    least->setValue(0.85);
    QCOMPARE(page_->tables()->objects()->rowCount(), 2);  // of 0.9 each
    clickCell(0, 0);
    QCOMPARE(page_->tables()->objects()->rowCount(), 3);  // all that the cell counts
    const QVariantMap state = page_->viewState();
    page_ = std::make_unique<ComparePage>();
    page_->restoreViewState(state);
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(page_->tables()->objects()->rowCount(), 2);
  }

  void resultsThatCannotBeJudgedSayWhatWhereAndHow() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    const QString file =
        write("theirs.json",
              R"([{"image_id": 77, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]}])");
    page_->openResults({file});
    QTRY_COMPARE(emptyTitle(), QStringLiteral("B cannot be compared"));
    QVERIFY(says(file) && says(QStringLiteral("1 of 1 result")));
  }

  void imagesThatPredictNumbersItselfAreKnownByTheirFiles() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    page_->openResults({write("predicted.json", R"([
      {"image_id": 1, "file_name": "b.png", "category_id": 1, "score": 0.8, "bbox": [2, 2, 10, 10]},
      {"image_id": 2, "file_name": "a.png", "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]}])")});
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(page_->tables()->confusions()->model()->rowCount(), 2);
    page_->tables()->confusions()->setView(widgets::ComparedView::Second);
    QCOMPARE(page_->tables()->confusions()->model()->countAt(0, 0), 2);
  }

  void resultsOfUnknownClassesAreCountedAndLeftOut() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", R"([
      {"image_id": 3, "category_id": 8, "score": 0.95, "bbox": [2, 2, 10, 10]},
      {"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]},
      {"image_id": 5, "category_id": 8, "score": 0.95, "bbox": [2, 2, 10, 10]}])",
           annotations);
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QTRY_VERIFY2(page_->verdict().contains(QStringLiteral(
                     "B: 2 detections of classes that the annotations do not list are ignored")),
                 qPrintable(page_->verdict()));
    page_->tables()->confusions()->setView(widgets::ComparedView::Second);
    QCOMPARE(page_->tables()->confusions()->model()->countAt(0, 0), 1);
  }

  /// Also where images have ids of their own.
  void resultsOfUnknownClassesInAFileAreCountedAndLeftOut() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    page_->openResults({write("theirs.json", R"([
      {"image_id": 1, "file_name": "b.png", "category_id": 8, "score": 0.95, "bbox": [2, 2, 10, 10]},
      {"image_id": 1, "file_name": "b.png", "category_id": 1, "score": 0.8, "bbox": [2, 2, 10, 10]},
      {"image_id": 2, "file_name": "a.png", "category_id": 8, "score": 0.9, "bbox": [2, 2, 10, 10]}])")});
    QTRY_VERIFY(page_->results() && page_->isReady());
    QTRY_VERIFY2(page_->verdict().contains(QStringLiteral(
                     "B: 2 detections of classes that the annotations do not list are ignored")),
                 qPrintable(page_->verdict()));
    const auto set =
        coco::Dataset::load(parent_->filePath(QStringLiteral("val.json")).toStdString());
    const char* const listed =
        R"([{"image_id": 5, "category_id": 1, "score": 0.8, "bbox": [2, 2, 10, 10]}])";
    QCOMPARE(page_->results()->second.stats,
             coco::evaluate(set, coco::parseDetections(listed, "made"), coco::IouType::Box).stats);
  }

  /// One result without a mask, of whatever class, is enough.
  void aFileIsJudgedByTheSameAsARunWithItsResults() {
    QByteArray masks = kDataset;
    masks.replace("\"iscrowd\": 0",
                  "\"iscrowd\": 0, \"segmentation\": [[2, 2, 12, 2, 12, 12, 2, 12]]");
    const char* const results = R"([
      {"image_id": 3, "category_id": 1, "score": 0.9, "segmentation": {"size": [40, 40], "counts": "0Pb1"}},
      {"image_id": 5, "category_id": 8, "score": 0.8, "bbox": [2, 2, 10, 10]}])";
    addRun("one", results, write("val.json", masks), true);
    show();
    page_->openResults({write("theirs.json", results)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    QVERIFY2(page_->verdict().contains(QStringLiteral("Neither has masks")),
             qPrintable(page_->verdict()));
    QCOMPARE(page_->results()->second.stats, page_->results()->first.stats);
  }

  /// Of results whose common images the dataset does not have, no figures are made up.
  void imagesThatTheDatasetLacksAreNotCommon() {
    const QString annotations = write("val.json", kDataset);
    for (const auto& [name, ids] : {std::pair{"one", "[3, 99]"}, {"other", "[5, 99]"}}) {
      addRun(name, nullptr, annotations);
      const run_folder::Layout layout(runs_.back()->folder().toStdString());
      const auto file = layout.predictionsOfPart(40, "val");
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << R"({"image_ids": )" << ids << R"(, "detections": []})";
    }
    show();
    QTRY_COMPARE(emptyTitle(), QStringLiteral("A and B have predictions of different images"));
    QVERIFY(!page_->results());
  }

  void aRunThatIsNotReadYetKeepsNoStep() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations);
    const QString folder = runs_.back()->folder();
    runs_.back() = std::make_unique<app::RunController>(folder);  // which nobody lets read
    page_->setRuns(
        {{runs_[0].get(), QStringLiteral("one")}, {runs_[1].get(), QStringLiteral("other")}});
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    page_->setFocus();
    QTest::keyClick(page_.get(), Qt::Key_X);  // a choice, which is kept
    const QVariantMap state = page_->viewState();
    QCOMPARE(state.value(QStringLiteral("sides")).toList().size(), 2);
    page_ = std::make_unique<ComparePage>();
    page_->restoreViewState(state);
    runs_.back()->refresh();
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), 40);
  }

  void whatWasChosenIsThereAfterARestart() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations);
    show();
    page_->openResults({write("theirs.json", kOfSecond)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    page_->tables()->setCurrentWidget(page_->tables()->confusions());
    page_->findChild<QDoubleSpinBox*>(QStringLiteral("score"))->setValue(0.75);
    page_->curves()->axis()->setAxis(widgets::XAxis::Relative);
    page_->setFocus();
    QTest::keyClick(page_.get(), Qt::Key_V);
    const QVariantMap state = page_->viewState();
    page_ = std::make_unique<ComparePage>();
    page_->restoreViewState(state);
    QCOMPARE(page_->viewState(), state);  // also before its runs are shown
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(boxOf("Run of B")->currentText(), QStringLiteral("theirs.json"));
    QCOMPARE(page_->tables()->currentWidget(), page_->tables()->confusions());
    QCOMPARE(page_->findChild<QDoubleSpinBox*>(QStringLiteral("score"))->value(), 0.75);
    QCOMPARE(page_->view()->mode(), widgets::PairedView::Mode::Wipe);
    QCOMPARE(page_->curves()->axis()->axis(), widgets::XAxis::Relative);
  }

  void anotherPageChangesNothing() {
    showTwo();
    clickCell(0, 0);
    const int rows = page_->tables()->objects()->rowCount();
    QVERIFY(rows > 0);
    const auto before = page_->results()->first.stats;
    // What would be read again is not there any more.
    QVERIFY(QFile::remove(parent_->filePath(QStringLiteral("val.json"))));
    page_->hide();
    page_->show();
    QVERIFY(page_->isReady());  // nothing was asked for
    QVERIFY(page_->results());
    QCOMPARE(page_->results()->first.stats, before);
    QCOMPARE(page_->tables()->objects()->rowCount(), rows);
  }

  void aCellIsListedWhileObjectsAreFound() {
    showTwo();
    page_->findChild<QDoubleSpinBox*>(QStringLiteral("score"))->setValue(0.75);
    auto* table = page_->tables()->confusions()->findChild<QTableView*>();
    page_->tables()->setCurrentWidget(page_->tables()->confusions());
    const QRect cell = table->visualRect(table->model()->index(0, 0));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
    QTRY_VERIFY(page_->isReady());
    // At the score that it counted at: 0.5, where A finds three.
    QCOMPARE(page_->tables()->objects()->rowCount(), 3);
    QVERIFY2(
        boxOf("Which objects are listed")->currentText().contains(QLocale().toString(0.5, 'f', 2)),
        qPrintable(boxOf("Which objects are listed")->currentText()));
  }

  void rulesThatDifferAreSaid() {
    QByteArray masks = kDataset;
    masks.replace("\"iscrowd\": 0",
                  "\"iscrowd\": 0, \"segmentation\": [[2, 2, 12, 2, 12, 12, 2, 12]]");
    const QString annotations = write("val.json", masks);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations, true);
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QVERIFY2(page_->verdict().contains(
                 QStringLiteral("Neither has masks: both are evaluated by their boxes")),
             qPrintable(page_->verdict()));
    const coco::Image image{ImageId{3}, "a.png", 40, 40};
    coco::Detection found{image.id, CategoryId{1}, 0.9, {2, 2, 10, 10}, {}};
    found.mask = coco::rasterisePolygon(std::array<double, 8>{2, 2, 12, 2, 12, 12, 2, 12}, 40, 40);
    page_->openResults(
        {write("masks.json", QByteArray::fromStdString(coco::detectionsToJson({found})))});
    QTRY_VERIFY2(page_->isReady() &&
                     page_->verdict().contains(QStringLiteral(
                         "Some results of A have no mask: both are evaluated by their boxes")),
                 qPrintable(page_->verdict()));
  }

  void limitsThatDifferAreSaid() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations);
    std::ofstream(run_folder::Layout(runs_.back()->folder().toStdString()).config(), std::ios::app)
        << "evaluation:\n  max_dets: [1, 50, 100]\n";
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QVERIFY2(page_->verdict().contains(
                 QStringLiteral("evaluation.max_dets is 1, 10, 100 for A and 1, 50, 100 for B: "
                                "both are evaluated with 1, 50, 100.")),
             qPrintable(page_->verdict()));
  }

  void aClickOnACurveTakesTheNearestCheckpoints() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations);
    show();
    page_->tables()->setCurrentWidget(page_->curves());
    widgets::CurvePlot* plot = page_->curves()->cards().front()->plot();
    QTRY_VERIFY(plot->isVisible() && plot->isUpToDate() && plot->hasPoints());
    QTest::mouseClick(plot->findChild<widgets::PlotOverlay*>(), Qt::LeftButton, {},
                      QPoint(plot->width() / 2, plot->height() / 2));
    QTRY_COMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), 20);
    QCOMPARE(boxOf("Checkpoint of B")->currentData().toLongLong(), 20);
    QStringList marks;
    for (const widgets::EventMark& mark : plot->eventMarks()) marks << mark.text;
    QCOMPARE(marks, (QStringList{QStringLiteral("A: step 20"), QStringLiteral("B: step 20")}));
  }

  void anotherCheckpointIsComparedWithTheGivenOne() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    page_->compareCheckpoint(runs_.front()->folder(), 20);
    QCOMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), 20);
    QCOMPARE(boxOf("Checkpoint of B")->currentData().toLongLong(), 40);
  }
};

LOCKSTEP_TEST(TstComparedResults)
#include "tst_compared_results.moc"
