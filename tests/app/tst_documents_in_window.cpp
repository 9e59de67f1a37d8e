#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <algorithm>

#include "app/configure/configure_page.h"
#include "app/configure/document_banner.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/clicked_answer.h"
#include "tests/app/made_run.h"
#include "tests/app/shared_window.h"
#include "tests/app/window_options.h"
#include "tests/support/file_content.h"
#include "tests/support/test_main.h"
#include "tests/support/text.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/config_editor/config_form.h"
#include "widgets/config_editor/field_row.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/elided_label.h"

using namespace lockstep;
using app::MainWindow;
using tests::Answer;
using tests::text;

/// Documents in the window: the questions of closing, opening and training, and the top bar.
class TstDocumentsInWindow : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  tests::SharedWindow window_;
  bool keepsLayout_ = false;

  QString path(const char* name) const { return folder_->filePath(text(name)); }
  void write(const char* name, const QByteArray& bytes) const {
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
  }
  QByteArray read(const char* name) const { return tests::contentOf(path(name)); }
  std::unique_ptr<MainWindow> open(const QStringList& paths) {
    app::MainWindowOptions options = tests::optionsFor(paths);
    options.size = QSize(1280, 720);
    options.keepLayout = keepsLayout_;
    options.draftFolder = path("state");
    auto window = tests::openWindow(window_.theme(), options);
    window->activateWindow();
    return window;
  }
  /// Opens the menu of a button and clicks one of its entries.
  static void clickIn(QToolButton* button, QMenu* menu, QAction* entry) {
    QTimer::singleShot(0, menu, [menu, entry] {
      QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(entry).center());
    });
    QTest::mouseClick(button, Qt::LeftButton);
  }
  MainWindow& shown(const QStringList& paths) {
    MainWindow& window = window_.show(paths);
    window.resize(1280, 720);
    QCoreApplication::processEvents();  // lays it out
    return window;
  }
  static void type(MainWindow& window, const char* bytes) {
    auto* yaml = window.findChild<widgets::YamlText*>();
    yaml->changeTo(bytes);
    QTRY_VERIFY(window.isReady());
  }

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    keepsLayout_ = false;
    write("a.yaml", "name: one\n");
    qputenv("LOCKSTEP_RUNS", path("runs").toLocal8Bit());
  }
  void cleanup() { qunsetenv("LOCKSTEP_RUNS"); }

  void closingAsksAboutEdits() {
    auto window = open({path("a.yaml")});
    type(*window, "name: two\n");
    {
      const Answer cancel("Cancel");
      QVERIFY(!window->close());
      QVERIFY(cancel.isGiven());
    }
    QVERIFY(window->isVisible());
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    const Answer save("Save");
    QTest::keyClick(window.get(), Qt::Key_Q, Qt::ControlModifier);
    QVERIFY(save.isGiven());
    QVERIFY(!window->isVisible());
    QCOMPARE(read("a.yaml"), QByteArray("name: two\n"));
  }

  void savingOverAChangedFileAsksWhatToDo_data() {
    QTest::addColumn<QByteArray>("theirs");
    QTest::addColumn<bool>("isReadable");
    QTest::newRow("another text") << QByteArray("name: theirs\n") << true;
    QTest::newRow("no text") << QByteArray("\xff\n") << false;
  }
  void savingOverAChangedFileAsksWhatToDo() {
    QFETCH(QByteArray, theirs);
    QFETCH(bool, isReadable);
    MainWindow& window = shown({path("a.yaml")});
    type(window, "name: two\n");
    write("a.yaml", theirs);
    const Answer cancel("Cancel");
    QVERIFY(!window.configurePage()->save());
    QVERIFY(cancel.isGiven());
    QCOMPARE(cancel.asked().contains(text("Reload")), isReadable);
    QCOMPARE(cancel.asked().contains(text("Lines in the file")), isReadable);
    QCOMPARE(cancel.asked().contains(text("is not UTF-8")), !isReadable);
    QVERIFY(cancel.asked().contains(text("Overwrite the file")));
    QCOMPARE(read("a.yaml"), theirs);
  }

  /// As another file of annotations is typed.
  void imagesAreCountedForTheDocument() {
    const auto images = [this](const char* name, int count) {
      QJsonArray list;
      for (int id = 1; id <= count; ++id)
        list.append(QJsonObject{{text("id"), id},
                                {text("file_name"), QString(QString::number(id) + text(".png"))},
                                {text("width"), 20},
                                {text("height"), 20}});
      const QJsonArray categories{QJsonObject{{text("id"), 1}, {text("name"), text("thing")}}};
      write(name, QJsonDocument(QJsonObject{{text("images"), list},
                                            {text("categories"), categories},
                                            {text("annotations"), QJsonArray()}})
                      .toJson());
    };
    images("three.json", 3);
    images("seven.json", 7);
    write("data.yaml",
          "dataset: {skip_empty: false, train: {images: ., annotations: three.json}}\n"
          "solver: {max_steps: 70, batch_size: 1}\n");
    MainWindow& window = shown({path("data.yaml")});
    const auto says = [&](const char* words) {
      for (const auto* label : window.findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(text(words))) return true;
      return false;
    };
    QTRY_VERIFY(says("3 training images"));
    auto* yaml = window.findChild<widgets::YamlText*>();
    yaml->setFocus();
    const int begin = static_cast<int>(yaml->text().indexOf(text("three")));
    yaml->setSelection(0, begin, 0, begin + 5);
    QTest::keyClicks(yaml, text("seven"));
    QTRY_VERIFY(says("7 training images"));
  }

  void aDamagedDraftIsReportedAtStartup() {
    QVERIFY(QDir().mkpath(path("state")));
    write("state/2f1c7a52-5a0f-4d0c-8f7e-3f8f2f6f1a11.json", "{\"text\": \"na");
    auto window = open({});
    QVERIFY(tests::visibleBanner(*window, {}, text(".damaged")));
  }

  void aCopyOfARunIsOpenedBesideEditsAndTheMenuLeadsBack() {
    const QString run = tests::makeRun(folder_->path(), {});
    auto window = open({run, path("a.yaml")});
    QTRY_COMPARE(window->runsPanel()->currentRun(), run);
    type(*window, "name: two\n");
    QTest::keyClick(window.get(), Qt::Key_D, Qt::ControlModifier);
    QTRY_VERIFY(window->isReady());
    QVERIFY(window->configurePage()->documentName() != text("a.yaml"));
    auto* files = window->findChild<QToolButton*>(text("openFiles"));
    QVERIFY(files->isVisible());
    QCOMPARE(files->text(), text("2 open, 1 unsaved"));
    const QList<QAction*> listed = files->menu()->actions();
    QCOMPARE(listed.first()->text(), text("a.yaml  ●"));
    QVERIFY(listed[1]->isChecked());
    const auto press = [&](Qt::Key key) {
      QTest::keyClick(window.get(), key, Qt::ControlModifier);
      return window->configurePage()->documentName();
    };
    QCOMPARE(press(Qt::Key_PageDown), text("a.yaml"));
    QCOMPARE(window->configurePage()->editor()->text(), text("name: two\n"));
    QCOMPARE(press(Qt::Key_PageDown), text("made.yaml"));
    QCOMPARE(press(Qt::Key_W), text("a.yaml"));
    QVERIFY(!files->isVisible());
    QCOMPARE(press(Qt::Key_D), text("made.yaml"));
    clickIn(files, files->menu(), files->menu()->actions().first());
    QTRY_COMPARE(window->configurePage()->editor()->text(), text("name: two\n"));
    const Answer discard("Discard");
    QVERIFY(window->close());
    QVERIFY(discard.isGiven());
  }

  void textBeingTypedIsSaved() {
    MainWindow& window = shown({path("a.yaml")});
    QTRY_VERIFY(window.isReady());
    auto* yaml = window.findChild<widgets::YamlText*>();
    yaml->setFocus();
    QTest::keyClicks(yaml, text("# typed"));
    QTest::keyClick(yaml, Qt::Key_Return);
    QTest::keyClick(&window, Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(read("a.yaml"), QByteArray("# typed\nname: one\n"));
    QVERIFY(!window.isWindowModified());
  }

  void editsAreRecoveredIfNothingElseIsOpened() {
    {
      auto window = open({path("a.yaml")});
      type(*window, "name: two\n");
      window->keepDrafts();
    }
    auto window = open({});
    QTRY_VERIFY(window->isReady());
    QCOMPARE(window->page(), app::Page::Configure);
    QCOMPARE(window->configurePage()->editor()->text(), text("name: two\n"));
    const auto* banner = window->findChild<app::DocumentBanner*>();
    QVERIFY(banner->isVisible());
    QVERIFY(banner->title().contains(text("a.yaml")));
    window->configurePage()->document()->acceptNotice();
    QVERIFY(!banner->isVisible());
    QCOMPARE(window->configurePage()->editor()->text(), text("name: one\n"));
  }

  void editsOfAnotherDocumentAreAnnounced() {
    {
      auto window = open({path("a.yaml")});
      type(*window, "name: two\n");
      window->keepDrafts();
    }
    const QString run = tests::makeRun(folder_->path(), {});
    auto window = open({run});
    QTRY_VERIFY(window->isReady());
    QCOMPARE(window->page(), app::Page::Monitor);
    const auto* banner = window->findChild<app::DocumentBanner*>();
    QVERIFY(banner->isVisible());
    window->findChild<app::DocumentBanner*>()->findChild<QPushButton*>()->click();
    QCOMPARE(window->page(), app::Page::Configure);
    QCOMPARE(window->configurePage()->editor()->text(), text("name: two\n"));
  }

  void twoExperimentsAreBothOpen() {
    write("b.yaml", "name: b\n");
    auto window = open({path("a.yaml"), path("b.yaml")});
    QCOMPARE(window->configurePage()->documentName(), text("b.yaml"));
    QCOMPARE(window->configurePage()->document()->documents().size(), 2);
  }

  void editsOfSeveralFilesAreRecovered() {
    write("b.yaml", "name: b\n");
    {
      auto window = open({path("a.yaml"), path("b.yaml")});
      type(*window, "name: b2\n");
      window->configurePage()->showNext();
      type(*window, "name: two\n");
      window->keepDrafts();
    }
    auto window = open({});
    QTRY_VERIFY(window->isReady());
    QCOMPARE(window->configurePage()->editor()->text(), text("name: two\n"));
    QCOMPARE(window->configurePage()->document()->documents().size(), 2);
    window->configurePage()->showNext();
    QCOMPARE(window->configurePage()->editor()->text(), text("name: b2\n"));
  }

  void theLastExperimentIsOpenedAgainAndOthersAreRecent() {
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, path("settings"));
    QCoreApplication::setOrganizationName(text("tests"));
    write("b.yaml", "name: b\n");
    keepsLayout_ = true;
    {
      auto window = open({path("a.yaml")});
      QTRY_VERIFY(window->isReady());
      QVERIFY(window->configurePage()->open(path("b.yaml")));
    }
    {
      auto window = open({});
      QTRY_VERIFY(window->configurePage()->hasDocument());
      QCOMPARE(window->configurePage()->documentName(), text("b.yaml"));
      QCOMPARE(window->page(), app::Page::Monitor);
      QAction* recent = window->findChild<QAction*>(text("experiment.recent_2"));
      QVERIFY(recent->isVisible());
      QCOMPARE(recent->text(), text("a.yaml"));
      QVERIFY(!window->findChild<QAction*>(text("experiment.recent_3"))->isVisible());
      recent->trigger();
      QCOMPARE(window->configurePage()->documentName(), text("a.yaml"));
      QCOMPARE(window->page(), app::Page::Configure);
    }
    // Named on the command line, it is not.
    auto window = open({path("b.yaml")});
    QTRY_VERIFY(window->isReady());
    QCOMPARE(window->configurePage()->document()->documents().size(), 1);
  }

  void trainNamesTheFileAndTheLayoutStaysStable() {
    tests::MadeRun shortOne, longOne;
    shortOne.name = "a";
    shortOne.created = 2000;
    longOne.name = "a_run_with_a_name_that_is_longer_than_the_bar_has_room_for";
    longOne.state = "failed";
    longOne.created = 1000;
    const QString first = tests::makeRun(folder_->path(), shortOne),
                  second = tests::makeRun(folder_->path(), longOne);
    MainWindow& window = shown({first, second, path("a.yaml")});
    QTRY_COMPARE(window.runsPanel()->currentRun(), first);
    auto* train = window.findChild<QPushButton*>(text("trainButton"));
    auto* stop = window.findChild<QPushButton*>(text("stopButton"));
    const auto* name = window.findChild<widgets::ElidedLabel*>(text("runName"));
    QVERIFY(train->text().endsWith(text("Train a")));
    QTRY_COMPARE(name->text(), text("a"));
    const auto places = [&] { return std::make_pair(train->geometry(), stop->geometry()); };
    const auto before = places();
    QVERIFY(before.first.right() < name->mapTo(&window, QPoint()).x());

    window.runsPanel()->selectRun(second);
    QTRY_VERIFY(name->toolTip().contains(QString::fromStdString(longOne.name) + u'\n'));
    QVERIFY(name->shownText().contains(QChar(0x2026)));
    QVERIFY(name->fontMetrics().horizontalAdvance(name->shownText()) <= name->width());
    write("an_experiment_with_a_very_long_name_of_its_own.yaml", "name: x\n");
    QVERIFY(
        window.configurePage()->open(path("an_experiment_with_a_very_long_name_of_its_own.yaml")));
    QVERIFY(
        train->accessibleName().contains(text("an_experiment_with_a_very_long_name_of_its_own")));
    QCoreApplication::processEvents();
    QCOMPARE(places(), before);
  }

  void theOnlyExperimentIsClosedByItsKeys() {
    MainWindow& window = shown({path("a.yaml")});
    QTest::keyClick(&window, Qt::Key_W, Qt::ControlModifier);
    QVERIFY(!window.configurePage()->hasDocument());
    QVERIFY(!window.configurePage()->editor()->hasDocument());
    QVERIFY(!window.findChild<QAction*>(text("experiment.close"))->isEnabled());
    QVERIFY(!window.findChild<QPushButton*>(text("trainButton"))->isEnabled());
    QVERIFY(!window.isWindowModified());
    QVERIFY(window.configurePage()->open(path("a.yaml")));
    QTRY_COMPARE(window.configurePage()->editor()->text(), text("name: one\n"));
  }

  void aBrokenTextKeepsItsLastValuesWhileAnotherFileIsShown() {
    write("b.yaml", "name: b\n");
    MainWindow& window = shown({path("a.yaml"), path("b.yaml")});
    window.configurePage()->document()->showDocument(0);
    QTRY_COMPARE(window.configurePage()->editor()->text(), text("name: one\n"));
    type(window, "name: good\n");
    type(window, "name: good\nsolver: [\n");
    window.configurePage()->showNext();
    QTRY_VERIFY(window.isReady());
    window.configurePage()->showNext();
    QTRY_VERIFY(window.isReady());
    const auto* name = window.findChild<widgets::ConfigForm*>()->row("name");
    QCOMPARE(name->state().value.text, text("good"));
  }

  void aChangedBaseIsSeenAtOnce() {
    write("base.yaml", "solver: {base_lr: 0.01}\n");
    write("a.yaml", "base: base.yaml\n");
    MainWindow& window = shown({path("a.yaml")});
    const widgets::ConfigEditor* editor = window.configurePage()->editor();
    QCOMPARE(editor->loaded().experiment.solver.baseLr, 0.01);
    write("base.yaml", "solver: {base_lr: 0.03}\n");
    QTRY_COMPARE(editor->loaded().experiment.solver.baseLr, 0.03);
    const QString before = editor->firstError();
    QVERIFY(QFile::rename(path("base.yaml"), path("other.yaml")));
    QTRY_VERIFY2(editor->firstError().startsWith(text("base: ")), qPrintable(editor->firstError()));
    QVERIFY(QFile::rename(path("other.yaml"), path("base.yaml")));
    QTRY_COMPARE(editor->firstError(), before);
  }

  /// Of a file that is not shown, with which another one is opened.
  void restoredEditsAreToldWhenTheirFileIsShown() {
    write("b.yaml", "name: b\n");
    {
      auto window = open({path("a.yaml"), path("b.yaml")});
      window->configurePage()->document()->showDocument(0);
      type(*window, "name: two\n");
      window->keepDrafts();
    }
    auto window = open({path("a.yaml"), path("b.yaml")});
    QTRY_VERIFY(window->isReady());
    app::DocumentController* document = window->configurePage()->document();
    QCOMPARE(document->shownDocument(), 1);
    QCOMPARE(document->notice().kind, app::DocumentNotice::Kind::None);
    document->showDocument(0);
    QCOMPARE(window->configurePage()->editor()->text(), text("name: two\n"));
    QCOMPARE(document->notice().kind, app::DocumentNotice::Kind::Restored);
  }

  void aPressedButtonThatIsDisabledLeavesTheFocusToThePage() {
    MainWindow& window = shown({path("a.yaml")});
    QTRY_VERIFY(window.isReady());
    auto* train = window.findChild<QPushButton*>(text("trainButton"));
    train->setFocus();
    train->setEnabled(false);
    QVERIFY(!qobject_cast<QPushButton*>(window.focusWidget()));
    train->setEnabled(true);
  }

  /// Before and after a restart of the program.
  void anUnsavedCopyIsMarkedUntilItIsSaved() {
    QVERIFY(QDir().mkpath(path("runs")));
    const QString run = tests::makeRun(path("runs"), {});
    const auto says = [](MainWindow& window, const char* words) {
      for (const auto* label : window.findChildren<QLabel*>())
        if (label->isVisible() && label->text() == text(words)) return true;
      return false;
    };
    auto window = open({});
    window->showPage(app::Page::Configure);
    QVERIFY(window->configurePage()->openCopyOfRun(run));
    QTRY_VERIFY(window->isReady());
    QVERIFY(says(*window, "● not saved yet"));
    type(*window, "name: two\n");
    QVERIFY(says(*window, "● not saved yet · edited"));
    window->keepDrafts();
    window.reset();
    window = open({});
    QTRY_VERIFY(window->isReady());
    QVERIFY(says(*window, "● not saved yet · edited"));
    const Answer cancel("Cancel");
    QVERIFY(!window->close());
    QVERIFY(cancel.isGiven());
    QVERIFY(!cancel.asked().contains(text("changes to")));
    QVERIFY(cancel.asked().contains(text("not saved in any file")));
  }

  /// Undo brings back the text as it was opened, which the file has no more.
  void aFileThatChangedOnDiskStaysMarkedAfterUndo() {
    MainWindow& window = shown({path("a.yaml")});
    type(window, "name: two\n");
    write("a.yaml", "name: theirs\n");
    app::DocumentController* document = window.configurePage()->document();
    QTRY_COMPARE(document->notice().kind, app::DocumentNotice::Kind::ChangedOutside);
    auto* yaml = window.findChild<widgets::YamlText*>();
    yaml->undo();
    QCOMPARE(yaml->text(), text("name: one\n"));
    for (auto* button : window.configurePage()->findChildren<QPushButton*>())
      if (button->text() == text("Save")) QVERIFY(button->isEnabled());
    const auto labels = window.findChildren<QLabel*>();
    QVERIFY(std::ranges::any_of(labels, [](const QLabel* label) {
      return label->isVisible() && label->text() == text("● edited");
    }));
  }

  /// The message is of the text that was checked.
  void thatThereAreNoFaultsIsSaidUntilTheNextEdit() {
    MainWindow& window = shown({path("a.yaml")});
    Q_EMIT window.configurePage()->checked(text("a.yaml"), text("summary"));
    const auto isSaid = [&] {
      const auto labels = window.findChildren<QLabel*>();
      return std::ranges::any_of(labels, [](const QLabel* label) {
        return label->isVisible() && label->text().contains(text("No errors"));
      });
    };
    QVERIFY(isSaid());
    type(window, "name: two\n");
    QVERIFY(!isSaid());
  }

  void tabTitlesAreNotElided_data() {
    QTest::addColumn<bool>("withExperiment");
    QTest::newRow("without an experiment") << false;
    QTest::newRow("with one") << true;
  }
  void tabTitlesAreNotElided() {
    QFETCH(bool, withExperiment);
    MainWindow& window = shown(withExperiment ? QStringList{path("a.yaml")} : QStringList());
    QTRY_VERIFY(window.isReady());
    const auto* tabs = window.findChild<QTabBar*>(text("pageTabs"));
    using app::Page;
    for (const auto page : {Page::Configure, Page::Predictions, Page::Monitor, Page::Configure}) {
      window.showPage(page);
      QCoreApplication::processEvents();
      QVERIFY(tabs->tabRect(0).left() >= 0);
      QVERIFY(tabs->tabRect(tabs->count() - 1).right() < tabs->width());
      for (const auto* button : tabs->findChildren<QToolButton*>()) QVERIFY(!button->isVisible());
    }
  }
};

LOCKSTEP_TEST(TstDocumentsInWindow)
#include "tst_documents_in_window.moc"
