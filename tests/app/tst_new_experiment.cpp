// New experiments: of a folder of data, a template, a run, made scenes.
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/configure/configure_page.h"
#include "app/configure/new_experiment_dialog.h"
#include "app/experiments/experiment_templates.h"
#include "app/monitor/monitor_page.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/file_content.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/empty_state.h"

using namespace lockstep;
using app::ExperimentOrigin;
using app::MainWindow;
using app::NewExperimentDialog;
using tests::program;
using tests::text;

namespace {

constexpr const char* kCheck =
    "training:   60 images, 1009 objects, 1 class\nerrors:     27\ndoubled_object 27: …\n"
    "warnings:   31\nusable:     yes";

/// The parts of the dialog.
struct Parts {
  explicit Parts(NewExperimentDialog* of) : dialog(of) {}
  template <typename T>
  T* find(const char* name) const {
    return dialog->findChild<T*>(text(name));
  }
  QPushButton* go() const { return find<QPushButton>("go"); }
  void choose(int origin) const {
    auto* list = find<QListWidget>("origins");
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                      list->visualItemRect(list->item(origin)).center());
  }
  NewExperimentDialog* dialog;
};

void pressGo(const Parts& parts) { QTest::mouseClick(parts.go(), Qt::LeftButton); }

}  // namespace

class TstNewExperiment : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  QString before_;
  tests::SharedWindow window_;

  QString path(const char* name) const { return folder_->filePath(text(name)); }
  static bool hasWorker() { return QFile::exists(program("lockstep-worker")); }
  static NewExperimentDialog* openedBy(MainWindow& window) {
    auto* dialog = window.findChild<NewExperimentDialog*>();
    return dialog && dialog->isVisible() ? dialog : nullptr;
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    before_ = QDir::currentPath();
    QDir::setCurrent(folder_->path());
  }
  void cleanup() {
    qunsetenv("FAKE_ENGINE");
    QDir::setCurrent(before_);
  }

  void theFindingsAreReadFromTheCheck() {
    const app::DatasetFindings found = app::findingsOf(text(kCheck));
    QVERIFY(found.isUsable);
    QCOMPARE(found.faults, 27);
    QCOMPARE(found.notes, 31);
    QVERIFY(!app::findingsOf(text("errors:     none\nusable:     no")).isUsable);
    QCOMPARE(app::findingsOf(text("errors:     none")).faults, 0);
  }

  void whatIsWrongWithTheDataIsShownBeforeTheExperimentIsOpened() {
    qputenv("FAKE_ENGINE",
            QByteArray("--stdout|import errors: 15, listed in faults.txt\n") + kCheck +
                "|--stderr|[dataset] warning: also found: yolo\n[worker] reading 2/2");
    auto* dialog = new NewExperimentDialog(nullptr, program("fake_engine"));
    const Parts parts(dialog);
    QSignalSpy ready(dialog, &NewExperimentDialog::experimentReady);
    dialog->show();
    QVERIFY(!parts.go()->isEnabled());
    QTest::keyClicks(parts.find<QLineEdit>("dataFolder"), path("drops"));
    QCOMPARE(parts.find<QLineEdit>("importFolder")->text(), path("drops-lockstep"));
    pressGo(parts);
    auto* findings = parts.find<QPlainTextEdit>("findings");
    QTRY_VERIFY(findings->isVisible());
    QVERIFY(findings->toPlainText().contains(text("doubled_object 27")));
    QVERIFY(parts.find<QLabel>("findingsTitle")
                ->text()
                .contains(text("27 errors, 31 warnings, 15 import errors, 1 import warning")));
    QCOMPARE(ready.count(), 0);
    pressGo(parts);
    QCOMPARE(ready.count(), 1);
    QCOMPARE(ready[0][0].toString(), path("drops-lockstep/experiment.yaml"));
  }

  void faultsAreCleanedIntoAnotherExperiment() {
    if (!hasWorker()) QSKIP("needs lockstep-worker");
    const QString data = path("drops");
    QVERIFY(QDir().mkpath(data + text("/train")));
    QImage picture(64, 64, QImage::Format_RGB32);
    picture.fill(Qt::gray);
    QVERIFY(picture.save(data + text("/train/1.png")));
    QFile file(data + text("/train.json"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    // The second object is the first once more.
    file.write(R"({"images": [{"id": 1, "file_name": "1.png", "width": 64, "height": 64}],
                   "categories": [{"id": 1, "name": "drop"}], "annotations": [
      {"id": 1, "image_id": 1, "category_id": 1, "bbox": [8, 8, 20, 20], "area": 400, "iscrowd": 0,
       "segmentation": [[8, 8, 28, 8, 28, 28, 8, 28]]},
      {"id": 2, "image_id": 1, "category_id": 1, "bbox": [8, 8, 20, 20], "area": 400, "iscrowd": 0,
       "segmentation": [[8, 8, 28, 8, 28, 28, 8, 28]]}]})");
    file.close();
    auto* dialog = new NewExperimentDialog;
    const Parts parts(dialog);
    QSignalSpy ready(dialog, &NewExperimentDialog::experimentReady);
    dialog->show();
    dialog->setDataFolder(data);
    pressGo(parts);
    auto* clean = parts.find<QPushButton>("clean");
    QTRY_VERIFY2_WITH_TIMEOUT(clean->isVisible(),
                              qPrintable(parts.find<QLabel>("reason")->toolTip()), 60000);
    QVERIFY(parts.find<QLabel>("findingsTitle")->text().contains(text("1 error,")));
    QTest::mouseClick(clean, Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy(), 60000);
    const auto* findings = parts.find<QPlainTextEdit>("findings");
    QVERIFY2(findings->toPlainText().startsWith(text("cleaned:")),
             qPrintable(findings->toPlainText()));
    QVERIFY(parts.find<QLabel>("findingsTitle")->text().contains(text("0 errors")));
    QVERIFY(!clean->isVisible());
    pressGo(parts);
    QCOMPARE(ready[0][0].toString(), path("drops-lockstep-cleaned/experiment.yaml"));
  }

  void aFolderThatIsNotThereIsMarkedWhileItIsTyped() {
    auto* dialog = new NewExperimentDialog(nullptr, program("fake_engine"));
    const Parts parts(dialog);
    dialog->show();
    auto* source = parts.find<QLineEdit>("dataFolder");
    const auto* reason = parts.find<QLabel>("reason");
    QTest::keyClicks(source, path("dropz"));
    QTRY_COMPARE(reason->text(), path("dropz") + text(" does not exist"));
    QVERIFY(source->property("invalid").toBool());
    QVERIFY(QDir().mkpath(path("dropzone")));
    QTest::keyClicks(source, text("one"));
    QTRY_VERIFY(!reason->isVisible());
    QVERIFY(!source->property("invalid").toBool());
    dialog->reject();
  }

  void whyAnImportFailedIsSaid() {
    qputenv("FAKE_ENGINE", "--stderr|no format that is known|--exit-code|2");
    auto* dialog = new NewExperimentDialog(nullptr, program("fake_engine"));
    const Parts parts(dialog);
    dialog->show();
    dialog->setDataFolder(path("drops"));
    pressGo(parts);
    QTRY_COMPARE(parts.find<QLabel>("reason")->toolTip(), text("no format that is known"));
    QVERIFY(parts.go()->isEnabled());
    dialog->reject();
  }

  void aRunningImportIsCancelled() {
    qputenv("FAKE_ENGINE", "--hang");
    auto* dialog = new NewExperimentDialog(nullptr, program("fake_engine"));
    const Parts parts(dialog);
    QSignalSpy ready(dialog, &NewExperimentDialog::experimentReady);
    dialog->show();
    dialog->setDataFolder(path("drops"));
    pressGo(parts);
    QVERIFY(dialog->isBusy() && !parts.go()->isEnabled());
    QTest::mouseClick(parts.find<QPushButton>("cancel"), Qt::LeftButton);
    QTRY_VERIFY(!dialog->isBusy());
    QVERIFY(dialog->isVisible() && parts.go()->isEnabled());
    QCOMPARE(ready.count(), 0);
    QTest::mouseClick(parts.find<QPushButton>("cancel"), Qt::LeftButton);
    QVERIFY(!dialog->isVisible());
  }

  void templatesHaveADescriptionAndMakeAShortFile() {
    const auto templates = app::templatesIn(app::templatesFolder());
    QVERIFY(templates.size() >= 3);
    for (const auto& each : templates) QVERIFY2(!each.description.isEmpty(), qPrintable(each.name));
    MainWindow& window = window_.show({});
    QTest::keyClick(&window, Qt::Key_N, Qt::ControlModifier);
    auto* dialog = openedBy(window);
    QVERIFY(dialog);
    const Parts parts(dialog);
    parts.choose(1);
    auto* list = parts.find<QListWidget>("templates");
    QTRY_COMPARE(list->count(), static_cast<int>(templates.size()));
    QVERIFY(list->item(1)->text().contains(templates[1].description));
    list->setCurrentRow(1);
    pressGo(parts);
    QTRY_COMPARE(window.page(), app::Page::Configure);
    QTRY_VERIFY(window.isReady());
    const auto& loaded = window.configurePage()->editor()->loaded();
    QVERIFY(loaded.isComplete);
    QVERIFY(loaded.files.size() > 1);
    QVERIFY(window.configurePage()->editor()->text().startsWith(text("base: ")));
    QVERIFY(window.configurePage()->editor()->errorCount() > 0);  // the data are still to be named
  }

  void whyThereIsNoTemplateIsSaid() {
    auto* dialog = new NewExperimentDialog(nullptr, program("fake_engine"));
    const Parts parts(dialog);
    dialog->setTemplates({});
    dialog->show();
    parts.choose(1);
    QVERIFY(!parts.find<QListWidget>("templates")->isVisible());
    auto* empty = parts.find<widgets::EmptyState>("no_templates");
    QVERIFY(empty->isVisible());
    QStringList said;
    for (const QLabel* label : empty->findChildren<QLabel*>()) said << label->text();
    for (const QString& place : app::templatePlaces())
      QVERIFY2(said.join(u' ').contains(place), qPrintable(said.join(u' ')));
    QTest::mouseClick(empty->findChild<QPushButton*>(), Qt::LeftButton);
    QCOMPARE(dialog->origin(), ExperimentOrigin::Data);
    dialog->setTemplates(app::templatesIn(app::templatesFolder()));
    parts.choose(1);
    QVERIFY(parts.find<QListWidget>("templates")->isVisible() && !empty->isVisible());
    dialog->reject();
  }

  void theFirstFieldHasTheFocus() {
    auto* dialog = new NewExperimentDialog(nullptr, program("fake_engine"));
    const Parts parts(dialog);
    dialog->show();
    dialog->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    QCOMPARE(dialog->focusWidget(), parts.find<QLineEdit>("dataFolder"));
    dialog->choose(ExperimentOrigin::Scenes);
    QCOMPARE(dialog->focusWidget(), parts.find<QLineEdit>("trainScenes"));
    dialog->choose(ExperimentOrigin::Run);
    dialog->setRuns({{path("run"), text("made")}});
    QCOMPARE(dialog->focusWidget(), parts.find<QListWidget>("runs"));
    dialog->reject();
  }

  void theEnginesWordsNameNoOption() {
    if (!hasWorker()) QSKIP("needs lockstep-worker");
    QVERIFY(QDir().mkpath(path("drops")) && QDir().mkpath(path("taken/full")));
    auto* dialog = new NewExperimentDialog;
    const Parts parts(dialog);
    dialog->show();
    dialog->setDataFolder(path("drops"));
    for (const char* to : {"new", "taken"}) {
      parts.find<QLineEdit>("importFolder")->setText(path(to));
      pressGo(parts);
      QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy(), 60000);
      const QString reason = parts.find<QLabel>("reason")->text();
      QVERIFY2(!reason.isEmpty() && !reason.contains(text("--")), qPrintable(reason));
    }
    dialog->reject();
  }

  void aRunOfTheListIsCopied() {
    tests::MadeRun plan;
    plan.name = "droplets";
    tests::makeRun(folder_->path(), plan);
    MainWindow& window = window_.show({folder_->path()});
    window.newExperiment(ExperimentOrigin::Run);
    const Parts parts(openedBy(window));
    QCOMPARE(parts.find<QListWidget>("runs")->item(0)->text().section(u'\n', 0, 0),
             text("droplets"));
    QTest::keyClick(parts.find<QListWidget>("runs"), Qt::Key_Return);
    QTRY_VERIFY(window.configurePage()->hasDocument());
    QVERIFY(!window.configurePage()->document()->hasFile());
  }

  void anEmptyWindowLeadsToOnesOwnData() {
    MainWindow& window = window_.show({folder_->path()});
    auto* empty = window.monitorPage()->findChild<widgets::EmptyState*>();
    for (QPushButton* button : empty->findChildren<QPushButton*>())
      if (button->text() == text("New experiment…")) QTest::mouseClick(button, Qt::LeftButton);
    auto* dialog = openedBy(window);
    QVERIFY(dialog);
    QCOMPARE(dialog->origin(), ExperimentOrigin::Data);
  }

  /// From an empty window to an experiment that Train starts.
  void anEmptyWindowLeadsToMadeScenes() {
    if (!hasWorker()) QSKIP("needs lockstep-worker");
    MainWindow& window = window_.show({folder_->path()});
    auto* empty = window.monitorPage()->findChild<widgets::EmptyState*>();
    for (QPushButton* button : empty->findChildren<QPushButton*>())
      if (button->text() == text("Try it with synthetic data"))
        QTest::mouseClick(button, Qt::LeftButton);
    auto* dialog = openedBy(window);
    QVERIFY(dialog);
    const Parts parts(dialog);
    QCOMPARE(dialog->origin(), ExperimentOrigin::Scenes);
    parts.find<QLineEdit>("trainScenes")->setText(text("2"));
    parts.find<QLineEdit>("valScenes")->setText(text("1"));
    QCOMPARE(parts.find<QLineEdit>("scenesFolder")->text(), path("synthetic-data"));
    pressGo(parts);
    QTRY_VERIFY_WITH_TIMEOUT(parts.find<QPlainTextEdit>("findings")->isVisible(), 60000);
    pressGo(parts);
    QTRY_COMPARE(window.page(), app::Page::Configure);
    QTRY_VERIFY(window.isReady());
    QCOMPARE(window.configurePage()->document()->path(), path("synthetic-data/experiment.yaml"));
    QCOMPARE(window.configurePage()->trainingBlockedBy(), QString());
    QCOMPARE(window.configurePage()->trainName(), text("synthetic-data"));
    const auto* banner = tests::visibleBanner(window, text("synthetic data"), text("Train"));
    QVERIFY(banner);
    QCOMPARE(banner->action(), text("Train"));
  }
};

LOCKSTEP_TEST(TstNewExperiment)
#include "tst_new_experiment.moc"
