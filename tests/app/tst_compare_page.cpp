#include <QAbstractItemView>
#include <QAction>
#include <QClipboard>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLocale>
#include <QPushButton>
#include <QSignalSpy>
#include <QTimer>
#include <QTreeWidget>
#include <algorithm>

#include "app/compare/compared_figures.h"
#include "tests/app/compare_bench.h"
#include "tests/support/test_main.h"
#include "widgets/comparison/classes_view.h"
#include "widgets/comparison/error_table.h"
#include "widgets/comparison/error_view.h"
#include "widgets/comparison/recall_plot.h"
#include "widgets/comparison/recall_view.h"
#include "widgets/instances/wanted_instance.h"

using namespace lockstep;
using app::ComparePage;
using app::RunController;
using tests::kDataset;
using tests::kOfFirst;
using tests::kOfSecond;
using widgets::Finders;

class TstComparePage : public tests::CompareBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { makePage(); }
  void cleanup() { clearPage(); }

  void figuresAreThoseOfAnEvaluationOfEach() {
    showTwo();
    const auto set =
        coco::Dataset::load(parent_->filePath(QStringLiteral("val.json")).toStdString());
    const auto evaluated = [&](const char* text) {
      return coco::evaluate(set, coco::parseDetections(text, "made"), coco::IouType::Box);
    };
    QCOMPARE(page_->results()->first.stats, evaluated(kOfFirst).stats);
    QCOMPARE(page_->results()->second.stats, evaluated(kOfSecond).stats);
    QCOMPARE(page_->results()->imageCount, std::size_t{2});
    QVERIFY2(page_->verdict().contains(QStringLiteral("all 2 validation images")),
             qPrintable(page_->verdict()));
  }

  void theTableHasTheFiguresOfBoth() {
    showTwo();
    const auto* table = qobject_cast<QTreeWidget*>(page_->tables()->widget(0));
    QVERIFY(table);
    const auto& pair = *page_->results();
    const QTreeWidgetItem* common = table->topLevelItem(1);
    QCOMPARE(common->text(0), QStringLiteral("Boxes on all 2 validation images"));
    QCOMPARE(common->child(0)->text(0), QString::fromStdString(pair.first.names[0]));
    QCOMPARE(common->child(0)->text(1), QLocale().toString(pair.first.stats[0], 'f', 4));
    QCOMPARE(common->child(0)->text(2), QLocale().toString(pair.second.stats[0], 'f', 4));
  }

  /// In the words of Monitor, whatever order they were logged in.
  void loggedFiguresBeginWithAp() {
    showTwo();
    const auto* table = qobject_cast<QTreeWidget*>(page_->tables()->widget(0));
    QCOMPARE(table->topLevelItemCount(), 2);
    QStringList names;
    const QTreeWidgetItem* logged = table->topLevelItem(0);
    QCOMPARE(logged->text(0), QStringLiteral("Whole validation split, as logged by the runs"));
    for (int row = 0; row < logged->childCount(); ++row) names << logged->child(row)->text(0);
    QCOMPARE(names.first(), QStringLiteral("box AP"));
    QVERIFY2(names.contains(QStringLiteral("total loss")) &&
                 names.contains(QStringLiteral("RPN box loss")),
             qPrintable(names.join(u' ')));
    QVERIFY2(names.filter(QStringLiteral("loss_")).isEmpty(), qPrintable(names.join(u' ')));
    QVERIFY(names.indexOf(QStringLiteral("total loss")) <
            names.indexOf(QStringLiteral("class loss")));
  }

  void theVerdictSaysOfWhatAndHowSure() {
    showTwo();
    const coco::ApComparison& ap = page_->results()->ap;
    QVERIFY(ap.difference < 0);
    const auto points = [](double value) { return QLocale().toString(100 * value, 'f', 1); };
    const QString said = QStringLiteral("%1 box AP points more (95 % CI %2 to %3, p = %4)")
                             .arg(points(-ap.difference), points(-ap.interval.high),
                                  points(-ap.interval.low), QLocale().toString(ap.pValue, 'f', 3));
    for (const QString& part : {QString(QStringLiteral("A has ") + said),
                                QStringLiteral("CI and p are over the images, not over trainings."),
                                QStringLiteral("With fewer than 30 images they are rough.")})
      QVERIFY2(page_->verdict().contains(part), qPrintable(page_->verdict()));
  }

  void anIntervalThatEndsBelowZeroByARoundingHasNoMinus() {
    widgets::ResultsPair pair;
    pair.ap.difference = .01;
    pair.ap.interval = {-.0004, .02};
    pair.ap.resamples = 1000;
    QVERIFY(app::verdictText(pair, coco::IouType::Box, 79)
                .contains(QStringLiteral("(95 % CI 0.0 to 2.0, ")));
  }

  void aDifferenceThatRoundsToZeroIsNotCalledZero() {
    widgets::ResultsPair pair;
    pair.ap.difference = .0004;
    pair.ap.resamples = 1000;
    QVERIFY(app::verdictText(pair, coco::IouType::Box, 79)
                .startsWith(QStringLiteral(
                    "No significant difference: B has less than 0.1 box AP points more (")));
  }

  void theVerdictNamesTheBetterSide() {
    widgets::ResultsPair pair;
    pair.imageCount = 79;
    pair.ap.difference = -0.1286;
    pair.ap.interval = {-.189, -.058};
    pair.ap.pValue = .002;
    pair.ap.resamples = 1000;
    pair.ap.verdict = coco::ComparisonVerdict::AIsBetter;
    QCOMPARE(app::verdictText(pair, coco::IouType::Mask, 79),
             QStringLiteral("A is better by 12.9 mask AP points (95 % CI 5.8 to 18.9, p = 0.002), "
                            "on all 79 validation images. CI and p are over the images, not over "
                            "trainings."));
    const QString spread = app::spreadText({{"name", "a", "b"}, {"runtime.seed", "1", "2"}});
    QVERIFY(
        app::verdictText(pair, coco::IouType::Mask, 79, spread)
            .startsWith(QStringLiteral("Only the seed differs: this is run-to-run spread. A has "
                                       "12.9 mask AP points more (")));
    QCOMPARE(app::spreadText({{"runtime.seed", "1", "2"}, {"solver.base_lr", "1", "2"}}),
             QString());
    QVERIFY(app::spreadText({{"monitor.log_every", "1", "2"}}).startsWith(QStringLiteral("No ")));
  }

  void figuresOfSomeImagesAreNotOfAll() {
    widgets::ResultsPair pair;
    pair.imageCount = 1;
    QVERIFY(
        app::commonFigures(pair, coco::IouType::Box, 2).title.contains(QStringLiteral("1 of 2")));
    const app::MetricStore none;
    QVERIFY(
        !app::evaluationFigures(none, 1, none, 1, false).title.contains(QStringLiteral("Whole")));
  }

  void twoRunsThatDifferInTheirSeedsAreNotJudged() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations);
    QFile config(QDir(runs_.back()->folder()).filePath(QStringLiteral("config.yaml")));
    QVERIFY(config.open(QIODevice::Append));
    config.write("runtime: {seed: 2}\n");
    config.close();
    const run_folder::Layout first(runs_.front()->folder().toStdString());
    std::filesystem::create_directories(first.predictionsOfPart(20, "val").parent_path());
    std::filesystem::copy_file(first.predictionsOfPart(40, "val"),
                               first.predictionsOfPart(20, "val"));
    show();
    QTRY_VERIFY2(page_->verdict().startsWith(QStringLiteral("Only the seed differs")),
                 qPrintable(page_->verdict()));
    QVERIFY(!page_->verdict().contains(QStringLiteral("better")));
    QTest::keyClick(boxOf("Checkpoint of A"), Qt::Key_Up);
    QCOMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), 20);
    QTRY_VERIFY(page_->results() && page_->isReady());
    QVERIFY2(!page_->verdict().contains(QStringLiteral("spread")), "the steps differ too");
  }

  void resultsAreAskedForBeforeTheirAnnotations() {
    showTwo();
    QString asked;
    QTimer::singleShot(0, page_.get(), [&asked] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      if (!dialog) return;
      asked = dialog->windowTitle();
      dialog->reject();
    });
    page_->findChild<QAction*>(QStringLiteral("compare.open_annotations"))->trigger();
    QCOMPARE(asked, QStringLiteral("Open results as B"));
  }

  void theTableIsCopied() {
    showTwo();
    page_->tables()->setCurrentIndex(0);
    for (QAction* action : page_->actions())
      if (action->text() == QStringLiteral("Copy the table as Markdown")) action->trigger();
    const QStringList lines = QApplication::clipboard()->text().split(u'\n');
    QCOMPARE(lines[0], QStringLiteral("| Figure | A | B | B − A |"));
    const QString ap = QLocale().toString(page_->results()->first.stats[0], 'f', 4);
    QCOMPARE(lines.filter(QStringLiteral("| AP | %1 |").arg(ap)).size(), 1);
  }

  void tablesAreHiddenForTheImages() {
    showTwo();
    QTRY_VERIFY(page_->view()->hasImage());
    page_->setFocus();
    const int before = page_->view()->width();
    QTest::keyClick(page_.get(), Qt::Key_T);
    QVERIFY(!page_->tables()->isVisible());
    QTRY_VERIFY(page_->view()->width() > before);
    QTest::keyClick(page_.get(), Qt::Key_T);
    QVERIFY(page_->tables()->isVisible());
  }

  /// Beside what there is, of which neither is taken away.
  void imagesThatASideLacksAreOffered() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", nullptr, annotations);
    const run_folder::Layout layout(runs_.back()->folder().toStdString());
    const auto file = layout.predictionsOfPart(40, "val");
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << R"({"image_ids": [3], "detections": []})";
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(page_->results()->imageCount, std::size_t{1});
    QVERIFY(button("Predict the other 1 of B"));
  }

  void objectsAreListedByWhoFindsThem() {
    showTwo();
    const widgets::PairedObjectModel& objects = *page_->tables()->objects();
    QCOMPARE(objects.countOf({Finders::OnlyFirst}), 3);
    QCOMPARE(objects.countOf({Finders::OnlySecond}), 1);
    QCOMPARE(objects.countOf({Finders::Both}), 0);
    QCOMPARE(objects.countOf({Finders::Neither}), 0);
  }

  void anObjectIsShownInBoth() {
    showTwo();
    page_->setFocus();
    page_->tables()->objectsView()->showFinders({Finders::OnlySecond});
    QTest::keyClick(page_.get(), Qt::Key_N);
    QTRY_VERIFY(page_->isReady() && page_->view()->first()->pinned() >= 0);
    QVERIFY(page_->view()->second()->pinned() >= 0);
    // Both are zoomed onto it: [20, 20, 10, 10] of 40 px, at the largest zoom.
    for (widgets::ImageCanvas* canvas : {page_->view()->first(), page_->view()->second()}) {
      const QRectF box(canvas->toWidget({20, 20}), canvas->toWidget({30, 30}));
      QVERIFY(QRectF(canvas->rect()).contains(box));
      const QSizeF part = canvas->size() / canvas->zoom();
      QVERIFY2(part.width() < 39 || part.height() < 39, qPrintable(QString::number(part.width())));
    }
    QVERIFY(page_->view()->first()->spokenValue().contains(QStringLiteral("missed")));
    QVERIFY(page_->view()->second()->spokenValue().contains(QStringLiteral("0.90")));
  }

  void aCellOfTheConfusionsOpensItsImages() {
    showTwo();
    const auto* model = page_->tables()->confusions()->model();
    QCOMPARE(model->countAt(0, 0), 3);  // of A, which misses one
    QCOMPARE(model->countAt(0, 1), 1);
    clickCell(0, 1);
    QCOMPARE(page_->tables()->objects()->rowCount(), 1);
    QCOMPARE(page_->tables()->objects()->objectAt(0).annotation, 1);
    QTRY_VERIFY(page_->view()->first()->pinned() >= 0);
    QVERIFY(page_->view()->first()->spokenValue().contains(QStringLiteral("missed")));
    page_->tables()->confusions()->setView(widgets::ComparedView::Second);
    QCOMPARE(model->countAt(0, 0), 1);
    QCOMPARE(model->countAt(1, 0), 1);  // on background
    clickCell(1, 0);
    QCOMPARE(page_->tables()->objects()->rowCount(), 1);
    QCOMPARE(page_->tables()->objects()->objectAt(0).imageIndex, std::size_t{1});
    QTRY_VERIFY(page_->view()->second()->pinned() >= 0);
    QVERIFY(page_->view()->second()->spokenValue().contains(QStringLiteral("0.80")));
  }

  void confusionsFollowTheScore() {
    showTwo();
    auto* score = page_->findChild<QDoubleSpinBox*>(QStringLiteral("score"));
    score->setFocus();
    score->selectAll();
    QTest::keyClicks(score, QLocale().toString(0.85));
    QTest::keyClick(score, Qt::Key_Return);
    QTRY_VERIFY(page_->isReady());
    QCOMPARE(page_->tables()->confusions()->model()->countAt(0, 0), 1);
  }

  /// By the arrow keys as by the mouse.
  void aNumberOfASideListsWhatItCounts() {
    showTwo();
    auto* errors = page_->tables()->errors()->table();
    page_->tables()->setCurrentWidget(page_->tables()->errors());
    const int missed = static_cast<int>(coco::ErrorType::Missed);
    QTreeWidgetItem* row = errors->topLevelItem(missed);
    const auto listed = [this] { return boxOf("Which objects are listed")->currentText(); };
    QCOMPARE(row->text(1), QStringLiteral("1"));
    QCOMPARE(row->text(2), QStringLiteral("3"));
    const QModelIndex ofA = errors->model()->index(missed, 1);
    QTest::mouseClick(errors->viewport(), Qt::LeftButton, {}, errors->visualRect(ofA).center());
    QTRY_COMPARE(page_->tables()->objects()->rowCount(), 1);
    QVERIFY2(listed().startsWith(QStringLiteral("A, errors: missed")), qPrintable(listed()));
    page_->tables()->setCurrentWidget(page_->tables()->errors());
    errors->setFocus();
    QTest::keyClick(errors, Qt::Key_Right);
    QTest::keyClick(errors, Qt::Key_Return);
    QTRY_COMPARE(page_->tables()->objects()->rowCount(), 3);
    QVERIFY2(listed().startsWith(QStringLiteral("B, errors: missed")), qPrintable(listed()));
    // A person chooses what there is none of.
    QTest::keyClick(boxOf("Which objects are listed"), Qt::Key_Up);
    QVERIFY2(listed().startsWith(QStringLiteral("Both find")), qPrintable(listed()));
    QCOMPARE(page_->tables()->objects()->rowCount(), 0);
  }

  void aClassListsWhatOnlyOneFinds() {
    showTwo();
    QTreeWidget* classes = page_->tables()->classes()->table();
    page_->tables()->setCurrentWidget(page_->tables()->classes());
    QTRY_COMPARE(classes->topLevelItem(0)->text(1), QStringLiteral("4"));  // objects
    QTest::mouseClick(classes->viewport(), Qt::LeftButton, {},
                      classes->visualItemRect(classes->topLevelItem(0)).center());
    QCOMPARE(page_->tables()->currentWidget(), page_->tables()->objectsView());
    QCOMPARE(page_->tables()->objects()->rowCount(), 4);  // three of A, and one of B
    QTRY_VERIFY(page_->isReady() && page_->view()->first()->pinned() >= 0);
  }

  void anObjectIsAskedForOnPredictions() {
    showTwo();
    QSignalSpy asked(page_.get(), &ComparePage::predictionsRequested);
    page_->setFocus();
    page_->tables()->objectsView()->showFinders({Finders::OnlySecond});
    QTRY_VERIFY(page_->isReady() && page_->view()->hasImage());
    QTest::keyClick(page_.get(), Qt::Key_P);
    QCOMPARE(asked.count(), 1);
    QCOMPARE(asked.last()[0].toString(), runs_[0]->folder());
    QCOMPARE(asked.last()[1].toLongLong(), 40);
    QCOMPARE(asked.last()[2].value<coco::Image>().fileName, std::string("a.png"));
    QCOMPARE(asked.last()[3].value<widgets::WantedInstance>().annotation, 1);
    // A detection of B is looked at there.
    page_->tables()->confusions()->setView(widgets::ComparedView::Second);
    clickCell(1, 0);
    QTRY_VERIFY(page_->isReady() && page_->view()->second()->pinned() >= 0);
    auto* list = qobject_cast<QTreeView*>(page_->tables()->objectsView()->focusProxy());
    list->setFocus();
    QTest::keyClick(list, Qt::Key_Return);
    QCOMPARE(asked.count(), 2);
    QCOMPARE(asked.last()[0].toString(), runs_[1]->folder());
    QCOMPARE(asked.last()[3].value<widgets::WantedInstance>().detection, 0);
    QTest::keyClick(page_.get(), Qt::Key_P, Qt::ShiftModifier);
    QCOMPARE(asked.last()[0].toString(), runs_[0]->folder());
  }

  /// Whichever is the window's current run, which it gives first.
  void theRunThatWasSelectedFirstIsA() {
    const QString annotations = write("val.json", kDataset);
    for (const char* name : {"one", "other", "third"}) addRun(name, kOfFirst, annotations);
    const auto select = [&](const std::vector<int>& order) {  // as in the list; the last is current
      std::vector<app::ShownRun> shown;
      for (std::size_t i = 0; i < order.size(); ++i) {
        auto* run = runs_[static_cast<std::size_t>(order[i])].get();
        shown.push_back(
            {run, QString::fromStdString(run->info().name), 0, {}, static_cast<int>(i)});
      }
      std::ranges::rotate(shown, shown.end() - 1);
      page_->setRuns(shown);
    };
    const auto sides = [this]() -> QString {
      return boxOf("Run of A")->currentText() + u' ' + boxOf("Run of B")->currentText();
    };
    select({1});
    show();
    select({1, 0});
    QCOMPARE(sides(), QStringLiteral("other one"));
    select({1, 0, 2});
    QCOMPARE(sides(), QStringLiteral("other one"));
    // What was chosen stays where a run is added, too.
    QTest::keyClick(boxOf("Checkpoint of A"), Qt::Key_Up);
    page_->setFocus();
    QTest::keyClick(page_.get(), Qt::Key_X);
    QCOMPARE(sides(), QStringLiteral("one other"));
    select({1, 0});
    QCOMPARE(sides(), QStringLiteral("one other"));
    select({0});
    QTest::keyClick(boxOf("Checkpoint of A"), Qt::Key_End);
    QTest::keyClick(boxOf("Checkpoint of A"), Qt::Key_Home);
    select({0, 2});
    QCOMPARE(sides(), QStringLiteral("one third"));
    QCOMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), 20);
    // As it does where runs change twice while another page is shown.
    page_->hide();
    select({1, 0});
    select({1, 0, 2});
    page_->show();
    QTRY_COMPARE(sides(), QStringLiteral("one other"));
    QCOMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), 20);
  }

  void anErrorOpensItsImages() {
    showTwo();
    auto* errors = page_->tables()->errors()->table();
    page_->tables()->setCurrentWidget(page_->tables()->errors());
    errors->setFocus();
    errors->setCurrentItem(errors->topLevelItem(static_cast<int>(coco::ErrorType::Background)));
    QTest::keyClick(errors, Qt::Key_Return);
    QTRY_COMPARE(page_->tables()->objects()->rowCount(), 1);
    QTRY_VERIFY(page_->isReady() && page_->view()->second()->pinned() >= 0);
    QVERIFY(page_->view()->second()->spokenValue().contains(QStringLiteral("0.80")));
  }

  void aPointOfACurveOpensItsDetection() {
    showTwo();
    auto* plot = page_->tables()->recall()->plot();
    page_->tables()->setCurrentWidget(page_->tables()->recall());
    plot->setFocus();
    QTest::keyClick(plot, Qt::Key_Right);
    QTest::keyClick(plot, Qt::Key_Right);
    QVERIFY(plot->chosen());
    QCOMPARE(plot->chosen()->score, 0.8);
    QCOMPARE(plot->chosen()->recall, 0.5);
    QTest::keyClick(plot, Qt::Key_Return);
    QTRY_VERIFY(page_->isReady() && page_->view()->first()->pinned() >= 0);
    QVERIFY(page_->view()->first()->spokenValue().contains(QStringLiteral("0.80")));
  }

  void swappedSidesSwapTheFigures() {
    showTwo();
    const auto before = page_->results();
    page_->setFocus();
    QTest::keyClick(page_.get(), Qt::Key_X);
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(page_->results()->first.stats, before->second.stats);
    QCOMPARE(page_->results()->second.stats, before->first.stats);
    QCOMPARE(page_->results()->ap.difference, -before->ap.difference);
  }

  void settingsThatDifferAreListed() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations, true);
    show();
    const auto listed = [this] {
      QStringList keys;
      for (const auto* table : page_->tables()->findChildren<QTreeWidget*>())
        if (table->accessibleName() == QStringLiteral("Settings that differ"))
          for (int row = 0; row < table->topLevelItemCount(); ++row)
            keys << table->topLevelItem(row)->text(0);
      return keys;
    };
    QTRY_VERIFY(listed().contains(QStringLiteral("model.masks")));
  }

  void missingPredictionsAreOffered() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", nullptr, annotations);
    show();
    QTRY_VERIFY2(emptyTitle().startsWith(QStringLiteral("B has no predictions at step")),
                 qPrintable(emptyTitle()));
    QVERIFY(button("Predict all"));
  }

  void runsOfOtherImagesAreNotCompared() {
    QByteArray other = kDataset;
    addRun("one", kOfFirst, write("val.json", kDataset));
    addRun("other", kOfSecond, write("other.json", other.replace("b.png", "c.png")));
    show();
    QTRY_COMPARE(emptyTitle(), QStringLiteral("A and B cannot be compared"));
    QVERIFY(!page_->results());
    QVERIFY(button("Open results as B…"));
    QPushButton* another = button("Choose another B…");
    QVERIFY(another);
    another->click();
    QTRY_VERIFY(boxOf("Run of B")->view()->isVisible());
    boxOf("Run of B")->hidePopup();
  }

  void oneRunBeginsWithTwoOfItsSteps() {
    tests::MadeRun run;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = write("val.json", kDataset).toStdString();
    run.hasMasks = false;
    run.evaluateEvery = 20;
    run.watchedImages = {3, 5};
    runs_.push_back(std::make_unique<RunController>(tests::makeRun(parent_->path(), run)));
    runs_.back()->refresh();
    QTRY_VERIFY(runs_.back()->isLoaded());
    const auto& stored = runs_.back()->history().predictionSteps();
    QVERIFY(stored.size() > 1);
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    const auto steps = page_->findChildren<QComboBox*>();
    const auto stepOf = [&](const QString& name) {
      const auto own = std::ranges::find_if(
          steps, [&](const QComboBox* box) { return box->accessibleName() == name; });
      return (*own)->currentData().toLongLong();
    };
    // Its best, if that is predicted and not the newest, else its first.
    const auto& best = runs_.back()->info().best;
    const bool hasBest =
        best && best->step != stored.back() && std::ranges::binary_search(stored, best->step);
    QCOMPARE(stepOf(QStringLiteral("Checkpoint of A")), hasBest ? best->step : stored.front());
    QCOMPARE(stepOf(QStringLiteral("Checkpoint of B")), stored.back());
    QVERIFY2(page_->verdict().contains(QStringLiteral("One run is selected: A is ")),
             qPrintable(page_->verdict()));
  }

  /// A checkpoint after the newest predictions is neither B nor an earlier one.
  void checkpointsAfterTheNewestPredictionsAreNotBegunWith_data() {
    QTest::addColumn<qint64>("every");
    QTest::addColumn<qint64>("first");
    QTest::addColumn<QString>("said");
    QTest::newRow("predictions at 20 and 40")
        << qint64{20} << qint64{20} << QStringLiteral("B its newest with predictions.");
    QTest::newRow("predictions at 40")
        << qint64{40} << qint64{40} << QStringLiteral("A and B are the same checkpoint");
  }
  void checkpointsAfterTheNewestPredictionsAreNotBegunWith() {
    QFETCH(qint64, every);
    QFETCH(qint64, first);
    QFETCH(QString, said);
    tests::MadeRun run;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = write("val.json", kDataset).toStdString();
    run.hasMasks = false;
    run.evaluateEvery = every;
    run.watchedImages = {3, 5};
    run.keptCheckpoints = {40, 60};
    runs_.push_back(std::make_unique<RunController>(tests::makeRun(parent_->path(), run)));
    runs_.back()->refresh();
    QTRY_VERIFY(runs_.back()->isLoaded());
    show();
    QTRY_VERIFY2(page_->results() && page_->isReady(), qPrintable(emptyTitle()));
    QCOMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), first);
    QCOMPARE(boxOf("Checkpoint of B")->currentData().toLongLong(), 40);
    QVERIFY2(page_->verdict().contains(said), qPrintable(page_->verdict()));
  }

  void aSecondRunIsComparedAtTheNewestStepOfTheFirst() {
    const QString annotations = write("val.json", kDataset);
    tests::MadeRun run;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = annotations.toStdString();
    run.hasMasks = false;
    run.watchedImages = {3, 5};
    runs_.push_back(std::make_unique<RunController>(tests::makeRun(parent_->path(), run)));
    runs_.back()->refresh();
    QTRY_VERIFY(runs_.back()->isLoaded());
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    addRun("other", kOfSecond, annotations);
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
    for (const QComboBox* box : page_->findChildren<QComboBox*>())
      if (box->accessibleName() == QStringLiteral("Checkpoint of A"))
        QCOMPARE(box->currentData().toLongLong(), 40);
  }

  void theSameCheckpointTwiceIsSaid() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    // Without being asked it begins with two checkpoints, even if one has yet to predict.
    QTRY_COMPARE(emptyTitle(), QStringLiteral("A has no predictions at step 20"));
    QComboBox* steps = boxOf("Checkpoint of A");
    steps->setFocus();
    QTest::keyClick(steps, Qt::Key_Down);
    QCOMPARE(steps->currentData().toLongLong(), 40);
    QTRY_VERIFY(page_->results() && page_->isReady());
    QVERIFY2(page_->verdict().startsWith(QStringLiteral("A and B are the same checkpoint")),
             qPrintable(page_->verdict()));
    // Nothing is found by only one of them; what both find is shown instead.
    QVERIFY(page_->view()->hasImage());
  }

  /// Of a page that nobody has looked at, too.
  void whatStandsAboveTheTablesBelongsToThePage() {
    QVERIFY(boxOf("Run of A") && boxOf("Checkpoint of B"));
    show();
    QVERIFY(boxOf("Run of A")->isVisible() && boxOf("Checkpoint of B")->isVisible());
  }

  void withoutRunsItSaysWhatToDo() {
    show();
    QCOMPARE(emptyTitle(), QStringLiteral("No runs to compare"));
  }
};

LOCKSTEP_TEST(TstComparePage)
#include "tst_compare_page.moc"
