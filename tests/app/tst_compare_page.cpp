#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QDragEnterEvent>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLocale>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>
#include <QTreeWidget>
#include <algorithm>
#include <filesystem>
#include <fstream>

#include "app/compare/compare_page.h"
#include "app/compare/compared_curves.h"
#include "engine/coco/files/results.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"
#include "widgets/comparison/comparison_tables.h"
#include "widgets/comparison/confusion_view.h"
#include "widgets/comparison/error_table.h"
#include "widgets/comparison/error_view.h"
#include "widgets/comparison/recall_plot.h"
#include "widgets/comparison/recall_view.h"
#include "widgets/empty_state.h"
#include "widgets/image_view/image_canvas.h"
#include "widgets/image_view/paired_view.h"
#include "widgets/plots/axis_choice.h"
#include "widgets/plots/curve_card.h"
#include "widgets/plots/plot_overlay.h"

using namespace lockstep;
using app::ComparePage;
using app::RunController;
using widgets::Finders;

namespace {

/// Two images with two objects each.
const QByteArray kDataset = R"({"images": [
  {"id": 3, "file_name": "a.png", "width": 40, "height": 40},
  {"id": 5, "file_name": "b.png", "width": 40, "height": 40}],
  "categories": [{"id": 1, "name": "thing"}], "annotations": [
  {"id": 1, "image_id": 3, "category_id": 1, "bbox": [2, 2, 10, 10], "area": 100, "iscrowd": 0},
  {"id": 2, "image_id": 3, "category_id": 1, "bbox": [20, 20, 10, 10], "area": 100, "iscrowd": 0},
  {"id": 3, "image_id": 5, "category_id": 1, "bbox": [2, 2, 10, 10], "area": 100, "iscrowd": 0},
  {"id": 4, "image_id": 5, "category_id": 1, "bbox": [20, 20, 10, 10], "area": 100, "iscrowd": 0}]})";

/// The first of image 3, all of image 5.
const char* const kOfFirst = R"([
  {"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]},
  {"image_id": 5, "category_id": 1, "score": 0.8, "bbox": [2, 2, 10, 10]},
  {"image_id": 5, "category_id": 1, "score": 0.7, "bbox": [20, 20, 10, 10]}])";
/// The second of image 3, none of image 5.
const char* const kOfSecond = R"([
  {"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [20, 20, 10, 10]},
  {"image_id": 5, "category_id": 1, "score": 0.8, "bbox": [30, 2, 5, 5]}])";

}  // namespace

class TstComparePage : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> parent_;
  std::vector<std::unique_ptr<RunController>> runs_;
  std::unique_ptr<ComparePage> page_;

  QString write(const char* name, const QByteArray& text) const {
    QFile file(parent_->filePath(QLatin1String(name)));
    if (file.open(QIODevice::WriteOnly)) file.write(text);
    return file.fileName();
  }

  /// With predictions of both images at step 40, if there are any.
  void addRun(const char* name, const char* predictions, const QString& annotations,
              bool hasMasks = false) {
    tests::MadeRun run;
    run.name = name;
    run.valImages = parent_->path().toStdString();
    run.valAnnotations = annotations.toStdString();
    run.hasMasks = hasMasks;
    run.keptCheckpoints = {20, 40};
    const QString folder = tests::makeRun(parent_->path(), run);
    if (predictions != nullptr) {
      const std::filesystem::path file =
          run_folder::Layout(folder.toStdString()).predictionsOfPart(40, "val");
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file) << R"({"image_ids": [3, 5], "detections": )" << predictions << "}";
    }
    runs_.push_back(std::make_unique<RunController>(folder));
    runs_.back()->refresh();
    QTRY_VERIFY(runs_.back()->isLoaded());
  }

  void show() {
    std::vector<app::ShownRun> shown;
    for (const auto& run : runs_)
      shown.push_back({run.get(), QString::fromStdString(run->info().name)});
    page_->setRuns(shown);
    page_->resize(1200, 800);
    page_->show();
    QTRY_VERIFY(page_->isReady());
  }

  void showTwo() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations);
    show();
    QTRY_VERIFY(page_->results() && page_->isReady());
  }

  /// In the table of confusions, with the mouse.
  void clickCell(int row, int column) {
    auto* table = page_->tables()->confusions()->findChild<QTableView*>();
    page_->tables()->setCurrentWidget(page_->tables()->confusions());
    const QRect cell = table->visualRect(table->model()->index(row, column));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell.center());
    QTRY_VERIFY(page_->isReady());
  }

  QComboBox* boxOf(const char* name) const {
    for (QComboBox* box : page_->findChildren<QComboBox*>())
      if (box->accessibleName() == QLatin1String(name)) return box;
    return nullptr;
  }

  void drop(const QStringList& files) {
    QMimeData data;
    QList<QUrl> urls;
    for (const QString& file : files) urls << QUrl::fromLocalFile(file);
    data.setUrls(urls);
    QDragEnterEvent enter({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(page_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent event({10, 10}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(page_.get(), &event);
  }

  QString emptyTitle() const {
    const auto* empty = page_->findChild<widgets::EmptyState*>();
    return empty->isVisible() ? empty->title() : QString();
  }

 private Q_SLOTS:
  void init() {
    parent_ = std::make_unique<QTemporaryDir>();
    QImage picture(40, 40, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    for (const char* image : {"a.png", "b.png"})
      picture.save(parent_->filePath(QString::fromUtf8(image)));
    page_ = std::make_unique<ComparePage>();
  }
  void cleanup() {
    page_.reset();
    runs_.clear();
  }

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
    QVERIFY2(page_->verdict().contains(QStringLiteral("all 2 held-out images")),
             qPrintable(page_->verdict()));
  }

  void objectsAreListedByWhoFindsThem() {
    showTwo();
    const auto& counts = page_->tables()->objects()->counts();
    QCOMPARE(counts.at(static_cast<std::size_t>(Finders::OnlyFirst)), 3);
    QCOMPARE(counts.at(static_cast<std::size_t>(Finders::OnlySecond)), 1);
    QCOMPARE(counts.at(static_cast<std::size_t>(Finders::Both)), 0);
    QCOMPARE(counts.at(static_cast<std::size_t>(Finders::Neither)), 0);
  }

  void anObjectIsShownInBoth() {
    showTwo();
    page_->setFocus();
    page_->tables()->showFinders(Finders::OnlySecond);
    QTest::keyClick(page_.get(), Qt::Key_N);
    QTRY_VERIFY(page_->isReady() && page_->view()->first()->pinned() >= 0);
    QVERIFY(page_->view()->second()->pinned() >= 0);
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
    auto* score = page_->findChild<QDoubleSpinBox*>();
    score->setFocus();
    score->selectAll();
    QTest::keyClicks(score, QLocale().toString(0.85));
    QTest::keyClick(score, Qt::Key_Return);
    QTRY_VERIFY(page_->isReady());
    QCOMPARE(page_->tables()->confusions()->model()->countAt(0, 0), 1);
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
    bool isOffered = false;
    for (const auto* button : page_->findChildren<QPushButton*>())
      isOffered =
          isOffered || (button->isVisible() && button->text() == QStringLiteral("Predict all"));
    QVERIFY(isOffered);
  }

  void runsOfOtherImagesAreNotCompared() {
    QByteArray other = kDataset;
    addRun("one", kOfFirst, write("val.json", kDataset));
    addRun("other", kOfSecond, write("other.json", other.replace("b.png", "c.png")));
    show();
    QTRY_COMPARE(emptyTitle(), QStringLiteral("A and B cannot be compared"));
    QVERIFY(!page_->results());
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
    QCOMPARE(stepOf(QStringLiteral("Checkpoint of A")), *std::prev(stored.end(), 2));
    QCOMPARE(stepOf(QStringLiteral("Checkpoint of B")), stored.back());
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
    QTRY_VERIFY(page_->results() && page_->isReady());
    QVERIFY2(page_->verdict().startsWith(QStringLiteral("A and B are the same checkpoint")),
             qPrintable(page_->verdict()));
    // Nothing is found by only one of them; what both find is shown instead.
    QVERIFY(page_->view()->hasImage());
  }

  void resultsOfAnyProgramAreComparedWithARun() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    const QString file = write("theirs.json", kOfSecond);
    drop({file});
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

  void twoResultsFilesAskForTheirAnnotations() {
    show();
    drop({write("a.json", kOfFirst), write("b.json", kOfSecond)});
    QTRY_COMPARE(emptyTitle(), QStringLiteral("What A is judged by is not known"));
    page_->openResults({parent_->filePath(QStringLiteral("b.json")), write("val.json", kDataset)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    QCOMPARE(page_->results()->imageCount, std::size_t{2});
    QTRY_VERIFY(page_->view()->hasImage());  // found beside the annotations
  }

  void resultsThatCannotBeJudgedSayWhatWhereAndHow_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("why");
    QTest::newRow("of other images")
        << QByteArray(
               R"([{"image_id": 3, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]},
            {"image_id": 77, "category_id": 1, "score": 0.9, "bbox": [2, 2, 10, 10]}])")
        << QStringLiteral("1 of 2 results");
    QTest::newRow("of other classes")
        << QByteArray(
               R"([{"image_id": 3, "category_id": 9, "score": 0.9, "bbox": [2, 2, 10, 10]}])")
        << QStringLiteral("none of its 1 results");
    QTest::newRow("annotations") << kDataset << QStringLiteral("COCO results are a JSON list");
    QTest::newRow("cut off") << QByteArray(R"([{"image_id": 3, )")
                             << QStringLiteral("COCO results are a JSON list");
  }
  void resultsThatCannotBeJudgedSayWhatWhereAndHow() {
    QFETCH(QByteArray, text);
    QFETCH(QString, why);
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    const QString file = write("theirs.json", text);
    page_->openResults({file});
    QTRY_COMPARE(emptyTitle(), QStringLiteral("B cannot be compared"));
    QStringList shown;
    for (const QLabel* label : page_->findChildren<QLabel*>())
      if (label->isVisible()) shown << label->text();
    QVERIFY2(shown.join(u' ').contains(file) && shown.join(u' ').contains(why),
             qPrintable(shown.join(u' ')));
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

  void whatWasChosenIsThereAfterARestart() {
    const QString annotations = write("val.json", kDataset);
    addRun("one", kOfFirst, annotations);
    addRun("other", kOfSecond, annotations);
    show();
    page_->openResults({write("theirs.json", kOfSecond)});
    QTRY_VERIFY(page_->results() && page_->isReady());
    page_->tables()->setCurrentWidget(page_->tables()->confusions());
    page_->findChild<QDoubleSpinBox*>()->setValue(0.75);
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
    QCOMPARE(page_->findChild<QDoubleSpinBox*>()->value(), 0.75);
    QCOMPARE(page_->view()->mode(), widgets::PairedView::Mode::Wipe);
    QCOMPARE(page_->curves()->axis()->axis(), widgets::XAxis::Relative);
  }

  void anotherPageChangesNothing() {
    showTwo();
    clickCell(0, 0);
    const int rows = page_->tables()->objects()->rowCount();
    const auto* before = page_->results().operator->();
    page_->hide();
    page_->show();
    QCOMPARE(page_->results().operator->(), before);
    QCOMPARE(page_->tables()->objects()->rowCount(), rows);
  }

  void aCellIsListedWhileObjectsAreFound() {
    showTwo();
    page_->findChild<QDoubleSpinBox*>()->setValue(0.75);
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
    QVERIFY2(page_->verdict().contains(QStringLiteral("both are judged by their boxes")),
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
  }

  void anotherCheckpointIsComparedWithTheGivenOne() {
    addRun("one", kOfFirst, write("val.json", kDataset));
    show();
    page_->compareCheckpoint(runs_.front()->folder(), 20);
    QCOMPARE(boxOf("Checkpoint of A")->currentData().toLongLong(), 20);
    QCOMPARE(boxOf("Checkpoint of B")->currentData().toLongLong(), 40);
  }

  void withoutRunsItSaysWhatToDo() {
    show();
    QCOMPARE(emptyTitle(), QStringLiteral("No runs to compare"));
  }
};

LOCKSTEP_TEST(TstComparePage)
#include "tst_compare_page.moc"
