#include <QDialog>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>

#include "app/command_line.h"
#include "app/configure/configure_page.h"
#include "app/frame/main_window.h"
#include "app/runs/open/run_history.h"
#include "app/runs/panel/runs_panel.h"
#include "tests/app/document_bench.h"
#include "tests/app/made_run.h"
#include "tests/app/window_options.h"
#include "tests/support/dead_disk.h"
#include "tests/support/test_main.h"
#include "widgets/config_editor/config_editor.h"
#include "widgets/config_editor/yaml_text.h"
#include "widgets/question_dialog.h"

using namespace lockstep;
using app::MainWindow;
using tests::DeadDisk;
using tests::text;

#define NEEDS(disk) \
  if (!(disk).isThere()) QSKIP("needs the right to mount a file system")

namespace {

const char* const kExperiment = "name: far\n";

/// Presses the button of the next question with this title, once it is shown.
class Press : public QObject {
 public:
  Press(const char* title, const char* button) : title_(text(title)), button_(text(button)) {
    connect(&look_, &QTimer::timeout, this, [this] { look(); });
    look_.start(5);
  }
  bool isDone() const { return isDone_; }
  QString detail() const { return detail_; }

 private:
  void look() {
    auto* dialog = qobject_cast<widgets::QuestionDialog*>(QApplication::activeModalWidget());
    if (!dialog) return;
    QStringList texts;
    for (const auto* label : dialog->findChildren<QLabel*>()) texts << label->text();
    if (!texts.contains(title_)) return;
    for (QPushButton* button : dialog->findChildren<QPushButton*>()) {
      if (button->text() != button_) continue;
      look_.stop();
      isDone_ = true;
      detail_ = texts.join(u'\n');
      return QTest::mouseClick(button, Qt::LeftButton);
    }
  }

  QString title_, button_, detail_;
  QTimer look_;
  bool isDone_ = false;
};

}  // namespace

/// A disk that stops answering at any moment: the window goes on, says where it hangs, and closes.
class TstDeadDisk : public QObject {
  Q_OBJECT

 private:
  widgets::ThemeSwitch theme_;

  std::unique_ptr<MainWindow> open(const QStringList& paths, const QString& drafts = {}) {
    app::MainWindowOptions options = tests::optionsFor(paths);
    options.draftFolder = drafts;
    return tests::openWindow(theme_, options);
  }
  /// By its shortcut.
  static void close(MainWindow& window) {
    window.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window));
    QTest::keyClick(&window, Qt::Key_Q, Qt::ControlModifier);
  }

 private Q_SLOTS:
  void theCommandLineDoesNotWaitForIt() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    QVERIFY_THROWS_EXCEPTION(Error, app::parseCommandLine({disk.path("other.yaml")}));
    disk.stop();
    const QString path = disk.path("a.yaml");
    QCOMPARE(app::parseCommandLine({path}).paths, QStringList{path});
  }

  /// An experiment and a folder of runs.
  void theWindowOpensWithoutIt() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    QTemporaryDir good;
    const QString run = tests::makeRun(good.path(), tests::made("near", 1000));
    const QStringList dead{disk.path("a.yaml"), disk.path()};
    disk.stop();
    const auto window = open(dead + QStringList{good.path()});
    QVERIFY(tests::visibleBanner(*window, text("does not answer"), dead.join(text(", "))));
    QTRY_VERIFY(window->findChild<app::RunListModel*>()->rowOf(run) >= 0);
    window->runsPanel()->selectRun(run);  // the rest goes on
    QTRY_COMPARE(window->runsPanel()->currentRun(), run);
    QVERIFY(!window->isReady());
    QTRY_VERIFY_WITH_TIMEOUT(window->isReady(), 20000);

    disk.revive();
    QTRY_VERIFY(!tests::visibleBanner(*window, text("does not answer"), {}));
    QTRY_COMPARE(window->configurePage()->documentName(), text("a.yaml"));
    QCOMPARE(window->findChild<app::RunListModel*>()->parentFolders(),
             (QStringList{good.path(), disk.path()}));
    QCOMPARE(window->runsPanel()->currentRun(), run);
  }

  void theWindowClosesWhileItHangs() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    disk.stop();
    const auto window = open({disk.path("a.yaml"), disk.path()});
    close(*window);
    QVERIFY(!window->isVisible());
  }

  void theWindowClosesWithADocumentOfIt() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    const auto window = open({disk.path("a.yaml")});
    QTRY_VERIFY(window->isReady());
    disk.stop();
    close(*window);
    QVERIFY(!window->isVisible());
  }

  void aDocumentWhoseDiskHangsIsSaidToBeUnknown() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    const auto window = open({disk.path("a.yaml")});
    QTRY_VERIFY(window->isReady());
    disk.stop();
    window->configurePage()->document()->checkFile();
    QTRY_VERIFY_WITH_TIMEOUT(
        tests::visibleBanner(*window, text("does not answer"), disk.path("a.yaml")), 20000);
    disk.revive();
    QTRY_VERIFY(!tests::visibleBanner(*window, text("does not answer"), {}));
  }

  /// The user stops waiting, keeps his edits, and leaves without them.
  void savingAsksWhetherToWait() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    const auto window = open({disk.path("a.yaml")});
    window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(window.get()));
    QTRY_VERIFY(window->isReady());
    auto* yaml = window->findChild<widgets::YamlText*>();
    yaml->setFocus();
    QTest::keyClicks(yaml, text("# typed"));
    disk.stop();
    {
      const Press stop("Waiting for a disk that does not answer", "Stop waiting");
      QTest::keyClick(window.get(), Qt::Key_S, Qt::ControlModifier);
      QVERIFY(stop.isDone());
      QVERIFY2(stop.detail().contains(disk.path("a.yaml")), qPrintable(stop.detail()));
    }
    QVERIFY(tests::visibleBanner(*window, text("was not saved"), disk.path("a.yaml")));
    QVERIFY(window->configurePage()->isUnsaved());
    const Press discard("Save the changes to a.yaml?", "Discard");
    close(*window);
    QVERIFY(discard.isDone());
    QVERIFY(!window->isVisible());
  }

  void aDiskThatAnswersInTimeIsWaitedFor() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    QTemporaryDir state;
    tests::DocumentWindow made(state.path());
    disk.stop();
    made.answers.waits = true;
    made.answers.whileAsked = [&disk] { disk.revive(); };
    QVERIFY(made.document.open(disk.path("a.yaml")));
    QCOMPARE(made.answers.asked, QStringList{text("wait ") + disk.path("a.yaml")});
    QCOMPARE(made.shown, text(kExperiment));
  }

  void nothingElseIsBegunWhileADiskIsWaitedFor() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    QTemporaryDir state;
    tests::DocumentWindow made(state.path());
    QSignalSpy failed(&made.document, &app::DocumentController::failed);
    disk.stop();
    made.answers.whileAsked = [&] {
      QVERIFY(!made.document.open(disk.path("a.yaml")));
      QVERIFY(!made.document.close());
      QVERIFY(made.document.fileToTrain().isEmpty());
    };
    QVERIFY(!made.document.open(disk.path("a.yaml")));
    QCOMPARE(made.answers.asked.size(), 1);
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed[0][1].toString().contains(text("does not answer")));
  }

  /// Of unsaved edits of an earlier session whose file lies there.
  void draftsOfItAreOfferedLater() {
    DeadDisk disk(DeadDisk::Files{{"a.yaml", kExperiment}});
    NEEDS(disk);
    QTemporaryDir state;
    {
      tests::DocumentWindow made(state.path());
      QVERIFY(made.document.open(disk.path("a.yaml")));
      made.type("name: edited\n");
    }
    disk.stop();
    const auto window = open({}, state.path());
    QVERIFY(!window->configurePage()->hasDocument());
    disk.revive();
    QTRY_VERIFY(tests::visibleBanner(*window, text("a.yaml"), {}));
    QVERIFY(!window->configurePage()->hasDocument());
  }

  void draftsThatCannotBeWrittenHoldNothingUp() {
    DeadDisk disk;
    NEEDS(disk);
    QTemporaryDir folder;
    const QString file = folder.filePath(text("a.yaml"));
    tests::DocumentBench::write(file, kExperiment);
    disk.stop();
    const auto window = open({file}, disk.path("state"));
    QTRY_VERIFY(window->isReady());
    QVERIFY(window->configurePage()->hasDocument());
    window->findChild<widgets::YamlText*>()->changeTo("name: edited\n");
    window->keepDrafts();
    QVERIFY(window->configurePage()->save());
    QCOMPARE(tests::DocumentBench::read(file), QByteArray("name: edited\n"));
    close(*window);
    QVERIFY(!window->isVisible());
  }

  void anExperimentWhoseDataHangIsSaidToBeUnchecked() {
    DeadDisk disk;
    NEEDS(disk);
    QTemporaryDir folder;
    const QString file = folder.filePath(text("a.yaml"));
    tests::DocumentBench::write(file,
                                text("dataset: {train: {images: %1}}\n").arg(disk.path()).toUtf8());
    disk.stop();
    const auto window = open({file});
    QTRY_VERIFY_WITH_TIMEOUT(tests::visibleBanner(*window, text("could not be checked yet"), file),
                             20000);
    disk.revive();
    QTRY_VERIFY(window->isReady());
    QVERIFY(!tests::visibleBanner(*window, text("could not be checked yet"), {}));
  }

  /// A dialog of files looks into its folder before it is shown.
  void dialogsOfFilesBeginWhereTheDiskAnswers() {
    DeadDisk disk;
    NEEDS(disk);
    QTemporaryDir good;
    QCOMPARE(jobs::folderToBeginWith(good.path()), good.path());
    disk.stop();
    QCOMPARE(jobs::folderToBeginWith(disk.path()), QDir::homePath());
  }

  /// Its configuration, which comes over its socket, names the data.
  void theConfigurationOfALiveRunIsReadWithoutItsData() {
    DeadDisk disk;
    NEEDS(disk);
    disk.stop();
    app::RunHistory history;
    const QString experiment = text(
                                   "base: %1/a.yaml\ndataset: {train: {images: %1}}\n"
                                   "monitor: {log_every: 5}\n")
                                   .arg(disk.path());
    history.add(protocol::Config{0, 0, 0, experiment.toStdString()});
    history.add(protocol::Scalars{1, 5, 100, {{"train/loss_total", 1.F}}});
    QCOMPARE(history.log().size(), std::size_t{1});
  }
};

LOCKSTEP_TEST(TstDeadDisk)
#include "tst_dead_disk.moc"
