// The Data page: its counts and findings are those of `lockstep-engine dataset check`.
#include <QApplication>
#include <QFileDialog>
#include <QProcess>
#include <QSignalSpy>
#include <QTabBar>
#include <QTableView>
#include <QTimer>

#include "engine/config/load.h"
#include "tests/app_data/data_page_bench.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "widgets/bars/bar_chart.h"
#include "widgets/dataset_view/findings_model.h"
#include "widgets/dataset_view/findings_panel.h"
#include "widgets/empty_state.h"

using namespace lockstep;
using namespace lockstep::tests;
using app::DataPage;
using widgets::BarChart;

class TstDataPage : public QObject, tests::DataPageBench {
  Q_OBJECT

 private:
  BarChart* chart(const QString& name) const {
    for (auto* each : page_->findChildren<BarChart*>())
      if (each->accessibleName() == name) return each;
    return nullptr;
  }
  QStringList listed() const {
    QStringList names;
    for (int i = 0; i < strip()->count(); ++i) names << strip()->toolTipOf(i).section(u'\n', 0, 0);
    return names;
  }
  /// Rows of `dataset check --out`, faults first.
  std::size_t rowsOfTheEngine() const {
    write("own.yaml", config::writeExperiment(experiment().experiment));
    QProcess engine;
    engine.start(tests::program("lockstep-engine"),
                 {QStringLiteral("dataset"), QStringLiteral("check"), pathOf("own.yaml"),
                  QStringLiteral("--out"), pathOf("check.json")});
    if (!engine.waitForFinished(kPatienceMs)) return 0;
    QFile file(pathOf("check.json"));
    if (!file.open(QIODevice::ReadOnly)) return 0;
    const json report = json::parse(file.readAll().toStdString());
    return report["faults"].size() + report["notes"].size();
  }

  static QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }
  /// The first sheet of `dataset preview` with this seed.
  QByteArray sheetOfTheEngine(int seed) const {
    return sheetOfTheEngine(seed, experiment().experiment);
  }
  QByteArray sheetOfTheEngine(int seed, const config::Experiment& experiment) const {
    write("own.yaml", config::writeExperiment(experiment));
    const QString out = folder_->filePath(QStringLiteral("sheets-%1").arg(seed));
    QProcess engine;
    engine.start(tests::program("lockstep-engine"),
                 {QStringLiteral("dataset"), QStringLiteral("preview"), pathOf("own.yaml"),
                  QStringLiteral("--out"), out, QStringLiteral("--set"),
                  QStringLiteral("runtime.seed=%1").arg(seed)});
    if (!engine.waitForFinished(kPatienceMs)) return {};
    return bytesOf(out + QStringLiteral("/step-00000001.png"));
  }

 private Q_SLOTS:
  void init() { openPage(); }
  void cleanup() { page_.reset(); }

  void theCountsAreThoseOfTheFile() {
    showExperiment();
    QCOMPARE(strip()->count(), 3);
    BarChart* classes = chart(QStringLiteral("Classes, by number of objects"));
    QVERIFY(classes);
    QCOMPARE(classes->bars().size(), std::size_t{2});
    for (const BarChart::Bar& bar : classes->bars()) QCOMPARE(bar.count, std::int64_t{2});
    std::int64_t images = 0;
    for (const BarChart::Bar& bar : chart(QStringLiteral("Objects per image"))->bars())
      images += bar.count;
    QCOMPARE(images, std::int64_t{3});
  }

  void aFileWithoutAUsableImageSaysWhy() {
    json none = annotations();
    for (json& image : none["images"]) image["width"] = 0;
    write("train.json", none.dump());
    page_->setExperiment(experiment());
    page_->show();
    QTRY_VERIFY(hasLabel(QStringLiteral("lists no image that can be used")));
    QVERIFY(hasLabel(QStringLiteral("width")));
  }

  void withoutObjectsNothingIsSaidOfTheMost() {
    json empty = annotations();
    empty["annotations"] = json::array();
    write("train.json", empty.dump());
    showExperiment();
    QVERIFY(hasLabel(QStringLiteral("No image has an object")));
    QVERIFY(!hasLabel(QStringLiteral("most in")));
  }

  void aCheckOfThePaletteShowsItsFaults() {
    showExperiment();
    auto* tabs = page_->findChild<QTabBar*>();
    QCOMPARE(tabs->currentIndex(), 0);
    trigger("data.check");
    QCOMPARE(tabs->currentIndex(), 1);
    trigger("data.stop");
  }

  void aPictureThatIsMendedIsShown() {
    QFile::remove(folder_->filePath(QStringLiteral("1.png")));
    showExperiment();
    QTRY_VERIFY(stage()->problem().contains(QStringLiteral("1.png")));
    QVERIFY(QFile::copy(folder_->filePath(QStringLiteral("2.png")),
                        folder_->filePath(QStringLiteral("1.png"))));
    QTest::keyClick(page_->view(), Qt::Key_F5);
    QTRY_VERIFY(stage()->problem().isEmpty());
  }

  void aClickedBarShowsItsImages() {
    showExperiment();
    BarChart* classes = chart(QStringLiteral("Classes, by number of objects"));
    const int star = classes->bars()[0].name == QStringLiteral("star") ? 0 : 1;
    QTest::mouseClick(classes, Qt::LeftButton, {}, classes->placeOf(star).center().toPoint());
    QTRY_COMPARE(listed(), QStringList{QStringLiteral("3.png")});
    QTest::mouseClick(classes, Qt::LeftButton, {}, classes->placeOf(star).center().toPoint());
    QTRY_COMPARE(strip()->count(), 3);
  }

  void barsAreChosenWithTheKeyboard() {
    showExperiment();
    BarChart* objects = chart(QStringLiteral("Objects per image"));
    objects->setFocus();
    QTest::keyClick(objects, Qt::Key_Home);
    QTest::keyClick(objects, Qt::Key_Return);
    QTRY_COMPARE(listed(), QStringList{QStringLiteral("1.png")});
    QTest::keyClick(objects, Qt::Key_Right);
    QTest::keyClick(objects, Qt::Key_Return);
    QTRY_COMPARE(listed(), QStringList{QStringLiteral("2.png")});
    QTest::keyClick(objects, Qt::Key_Backspace);
    QTRY_COMPARE(strip()->count(), 3);
  }

  void theFaultsAreThoseOfTheEngineAndSayWhatIsWrong() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    showExperiment();
    QTest::mouseClick(button(QStringLiteral("Check every image")), Qt::LeftButton);
    auto* panel = page_->findChild<widgets::FindingsPanel*>();
    QTRY_VERIFY_WITH_TIMEOUT(panel->isChecked(), kPatienceMs);
    auto* table = panel->findChild<QTableView*>();
    QCOMPARE(static_cast<std::size_t>(table->model()->rowCount()), rowsOfTheEngine());
    QVERIFY(panel->faultCount() > 0);
    for (int row = 0; row < table->model()->rowCount(); ++row) {  // also those of a whole class
      panel->moveBy(1);
      QTRY_VERIFY(page_->isReady());
      const QString said =
          table->currentIndex().siblingAtColumn(widgets::FindingsModel::Text).data().toString();
      QVERIFY(!said.isEmpty());
      QTRY_COMPARE(stage()->notice(), said);  // also once its image is decoded
    }
  }

  /// The window's own copy of the experiment is gone with it.
  void theCleanedExperimentStandsForItself() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    showExperiment();
    QTest::mouseClick(button(QStringLiteral("Check every image")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(page_->findChild<widgets::FindingsPanel*>()->isChecked(), kPatienceMs);
    QSignalSpy cleaned(page_.get(), &DataPage::cleaned);
    QTimer::singleShot(0, page_.get(), [this] {
      auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
      QVERIFY(dialog);
      dialog->selectFile(pathOf("cleaned"));
      QMetaObject::invokeMethod(dialog, "accept");
    });
    QTest::mouseClick(button(QStringLiteral("Export cleaned…")), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(cleaned.count(), 1, kPatienceMs);
    page_.reset();
    const auto loaded = config::loadExperiment(pathOf("cleaned/experiment.yaml").toStdString(), {});
    QVERIFY(loaded.issues.empty());
    QCOMPARE(loaded.files.size(), std::size_t{1});
    QVERIFY(loaded.experiment.dataset.train.annotations.find("cleaned") != std::string::npos);
  }

  void aCheckCanBeCanceled() {
    showExperiment();
    QTest::mouseClick(button(QStringLiteral("Check every image")), Qt::LeftButton);
    QTest::mouseClick(button(QStringLiteral("Cancel")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(button(QStringLiteral("Check every image")), kPatienceMs);
    QVERIFY(!page_->findChild<widgets::FindingsPanel*>()->isChecked());
  }

  void findingsAreOfTheDataThatWereChecked() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    auto* panel = page_->findChild<widgets::FindingsPanel*>();
    json clean = annotations();
    clean["annotations"].erase(3);
    write("clean.json", clean.dump());
    app::OpenExperiment other = experiment();
    other.experiment.dataset.train.annotations = pathOf("clean.json").toStdString();
    const auto show = [&](const app::OpenExperiment& shown) {
      page_->setExperiment(shown);
      QTRY_VERIFY_WITH_TIMEOUT(page_->isReady(), kPatienceMs);
    };
    showExperiment();
    QTest::mouseClick(button(QStringLiteral("Check every image")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(panel->isChecked(), kPatienceMs);
    show(other);
    QTest::mouseClick(button(QStringLiteral("Check every image")), Qt::LeftButton);
    QTest::mouseClick(button(QStringLiteral("Cancel")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(button(QStringLiteral("Check every image")), kPatienceMs);
    show(experiment());
    QVERIFY(panel->isChecked());
    show(other);
    QVERIFY(!panel->isChecked());
  }

  void anExperimentIsClosedWhileItsDataAreRead() {
    writeManyObjects();
    page_->setExperiment(experiment());
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    page_->hide();
    page_->setExperiment(std::nullopt);
    QTRY_VERIFY_WITH_TIMEOUT(page_->isReady(), kPatienceMs);
    page_->show();
    QTRY_COMPARE(page_->findChild<widgets::EmptyState*>()->title(),
                 QStringLiteral("No data to show"));
  }

  void readingIsStoppedByAKeyAndBegunAgain() {
    writeManyObjects();
    page_->setExperiment(experiment());
    page_->show();
    QVERIFY(QTest::qWaitForWindowActive(page_.get()));
    auto* empty = page_->findChild<widgets::EmptyState*>();
    QCOMPARE(empty->title(), QStringLiteral("Reading the annotations…"));
    QVERIFY(button(QStringLiteral("Cancel")));
    QTest::keyClick(page_.get(), Qt::Key_Escape, Qt::ShiftModifier);
    QCOMPARE(empty->title(), QStringLiteral("Reading was stopped"));
    QVERIFY(page_->isReady());
    QTest::mouseClick(button(QStringLiteral("Read again")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(page_->isReady() && strip()->count() == 3, kPatienceMs);
    QVERIFY(hasLabel(QStringLiteral("3 images, 59,994 objects")));
  }

  void batchesAreDrawnAsTrainingGetsThem() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    showExperiment();
    QTest::keyClick(page_.get(), Qt::Key_B);
    QVERIFY(sheets()->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(sheets()->files().size(), 4, kPatienceMs);
    QTRY_VERIFY(page_->isReady());
    const QByteArray own = bytesOf(sheets()->files().front());
    QVERIFY(!own.isEmpty());
    QCOMPARE(own, sheetOfTheEngine(1));
    QTest::keyClick(page_.get(), Qt::Key_D);
    QCOMPARE(sheets()->findChild<widgets::ThumbnailStrip*>()->current(), 1);
    QTest::keyClick(page_.get(), Qt::Key_B, Qt::ShiftModifier);
    QVERIFY(button(QStringLiteral("Cancel")));
    QTRY_VERIFY_WITH_TIMEOUT(button(QStringLiteral("Draw again")), kPatienceMs);
    QCOMPARE(bytesOf(sheets()->files().front()), sheetOfTheEngine(2));
    QVERIFY(own != bytesOf(sheets()->files().front()));
  }

  void batchesAskedForWhileTheDataAreCountedFollow() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    page_->setExperiment(experiment());
    page_->show();
    auto* empty = page_->findChild<widgets::EmptyState*>();
    QCOMPARE(empty->title(), QStringLiteral("Reading the annotations…"));
    trigger("data.draw_batches");  // no event comes between, so that the count is not over
    QCOMPARE(empty->title(),
             QStringLiteral("Reading the annotations, then training batches are drawn…"));
    QTRY_COMPARE_WITH_TIMEOUT(sheets()->files().size(), 4, kPatienceMs);
    QCOMPARE(bytesOf(sheets()->files().front()), sheetOfTheEngine(1));
  }

  void batchesAskedForAreNotDrawnOnceTheCountIsStopped() {
    page_->setExperiment(experiment());
    page_->show();
    trigger("data.draw_batches");
    trigger("data.stop");
    QCOMPARE(page_->findChild<widgets::EmptyState*>()->title(),
             QStringLiteral("Reading was stopped"));
    QVERIFY(!button(QStringLiteral("Cancel")));
    QTest::mouseClick(button(QStringLiteral("Read again")), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(page_->isReady() && strip()->count() == 3, kPatienceMs);
    QVERIFY(sheets()->files().isEmpty() && sheets()->isReady());
  }

  /// Once the data were counted again.
  void batchesAreOfTheExperimentAsItIsEdited() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    showExperiment();
    app::OpenExperiment edited = experiment();
    edited.experiment.augment.minSize = {96};
    page_->setExperiment(edited);
    QTRY_VERIFY_WITH_TIMEOUT(page_->isReady(), kPatienceMs);
    QTest::keyClick(page_.get(), Qt::Key_B);
    QTRY_VERIFY_WITH_TIMEOUT(!sheets()->files().isEmpty(), kPatienceMs);
    QTRY_VERIFY(page_->isReady());
    const QByteArray drawn = bytesOf(sheets()->files().front());
    QCOMPARE(drawn, sheetOfTheEngine(1, edited.experiment));
  }

  void whyNoBatchesAreDrawnIsSaid() {
    if (!QFile::exists(tests::program("lockstep-worker"))) QSKIP("needs lockstep-worker");
    showExperiment();
    for (int id : {1, 2, 3})
      QVERIFY(QFile::remove(folder_->filePath(QStringLiteral("%1.png").arg(id))));
    QTest::keyClick(page_.get(), Qt::Key_B);
    QTRY_VERIFY_WITH_TIMEOUT(
        std::ranges::any_of(
            sheets()->panel()->findChildren<QLabel*>(),
            [&](const QLabel* label) { return label->text().contains(QStringLiteral(".png")); }),
        kPatienceMs);
    QVERIFY(sheets()->files().isEmpty());
  }

  void aFileThatIsNoJsonIsNamed() {
    write("train.json", "{\"images\": [");
    page_->setExperiment(experiment());
    page_->show();
    QTRY_VERIFY(page_->isReady());
    QTRY_COMPARE(page_->findChild<widgets::EmptyState*>()->title(),
                 QStringLiteral("The data cannot be shown"));
    QTRY_VERIFY(std::ranges::any_of(page_->findChildren<QLabel*>(), [&](const QLabel* label) {
      return label->text().contains(pathOf("train.json"));
    }));
  }

  void besideABrokenFileAnotherOneIsOffered() {
    showExperiment();
    write("other.json", "{\"images\": [");
    page_->openFile(pathOf("other.json"), folder_->path());
    QTRY_VERIFY(page_->isReady());
    const auto* empty = page_->findChild<widgets::EmptyState*>();
    QTRY_COMPARE(empty->title(), QStringLiteral("The data cannot be shown"));
    const auto buttons = empty->findChildren<QPushButton*>();
    QVERIFY(std::ranges::any_of(buttons, [](const QPushButton* button) {
      return button->isVisible() && button->text() == QStringLiteral("Open annotations…");
    }));
  }

  void aFileIsShownBesideTheExperiment() {
    showExperiment();
    json other = annotations();
    other["images"].erase(2);
    other["annotations"].erase(3);
    other["annotations"].erase(2);
    other["annotations"].erase(1);
    write("other.json", other.dump());
    page_->openFile(pathOf("other.json"), folder_->path());
    QTRY_COMPARE(strip()->count(), 2);
    page_->setExperiment(experiment());  // an edit elsewhere in the experiment
    QTRY_VERIFY(page_->isReady());
    QCOMPARE(strip()->count(), 2);
  }
};

LOCKSTEP_TEST(TstDataPage)
#include "tst_data_page.moc"
