#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "app/documents/document_controller.h"
#include "engine/run_folder/source_files.h"
#include "tests/app/document_bench.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::DocumentController;
using app::DocumentQuestions;
using Kind = app::DocumentNotice::Kind;
using tests::text;

/// No edit is lost, and no external change is overwritten unseen.
class TstDocumentController : public QObject, private tests::DocumentBench {
  Q_OBJECT

 private Q_SLOTS:
  void init() { clear(); }

  void leavingWithoutEditsAsksNothing() {
    write(path("a.yaml"), "one");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    made->type("two");
    made->type("one");  // undone
    QVERIFY(!made->document.isUnsaved());
    QVERIFY(made->document.close());
    QVERIFY(made->answers.asked.isEmpty());
    QCOMPARE(draftCount(), 0);
  }

  void openFilesOfOneNameAreNamedWithTheirFolders() {
    for (const char* folder : {"left", "right"}) {
      QVERIFY(QDir(this->folder()).mkdir(text(folder)));
      write(path(folder) + text("/a.yaml"), "one");
    }
    const auto made = window();
    QVERIFY(made->document.open(path("left/a.yaml")));
    QCOMPARE(made->document.name(), text("a.yaml"));
    QVERIFY(made->document.open(path("right/a.yaml")));
    const auto open = made->document.documents();
    QCOMPARE(open.size(), 2);
    QCOMPARE(open[0].name, text("left/a.yaml"));
    QCOMPARE(open[1].name, text("right/a.yaml"));
  }

  void leavingWithEditsAsks_data() {
    QTest::addColumn<int>("answer");
    QTest::addColumn<bool>("leaves");
    QTest::addColumn<QByteArray>("inFile");
    QTest::addColumn<int>("drafts");
    using Leaving = DocumentQuestions::Leaving;
    const auto row = [](const char* name, Leaving answer, bool leaves, const char* inFile,
                        int kept) {
      QTest::newRow(name) << static_cast<int>(answer) << leaves << QByteArray(inFile) << kept;
    };
    row("save", Leaving::Save, true, "two", 0);
    row("discard", Leaving::Discard, true, "one", 0);
    row("cancel", Leaving::Cancel, false, "one", 1);
  }
  void leavingWithEditsAsks() {
    QFETCH(int, answer);
    QFETCH(bool, leaves);
    QFETCH(QByteArray, inFile);
    QFETCH(int, drafts);
    const auto made = edited();
    made->answers.leaving = static_cast<DocumentQuestions::Leaving>(answer);
    QCOMPARE(made->document.close(), leaves);
    QCOMPARE(made->answers.asked, QStringList{text("leave a.yaml")});
    QCOMPARE(read(path("a.yaml")), inFile);
    QTRY_COMPARE(draftCount(), drafts);
  }

  void theShortFileOfARunIsOpenedWithWhatWasSet() {
    const QString run = tests::makeRun(folder(), {});
    write(path("short.yaml"), "# mine\nname: short\n");
    const auto loaded =
        config::loadExperiment(path("short.yaml").toStdString(), {"solver.max_steps=7"});
    run_folder::writeSource(run_folder::Layout(run.toStdString()), run_folder::sourceOf(loaded));
    const auto made = window();
    QVERIFY(made->document.openCopyOfRun(run));
    QVERIFY2(made->shown.startsWith(text("# mine\nname: short\n")), qPrintable(made->shown));
    QVERIFY(made->shown.contains(text("max_steps: 7")));
    QCOMPARE(made->document.fileToTrain(), run + text("/config.yaml"));  // as it is
  }

  void aRunsConfigIsOpenedAsACopyAndNeverWritten() {
    const QString run = tests::makeRun(folder(), {});
    const QString record = run + text("/config.yaml");
    const QByteArray before = read(record);
    const auto made = window();
    QVERIFY(made->document.open(record));
    QVERIFY(!made->document.hasFile());
    QVERIFY(!made->document.isUnsaved());
    QCOMPARE(made->document.fileToTrain(), record);  // as it is
    made->type("name: other\n");
    QVERIFY(made->document.isUnsaved());
    QSignalSpy failed(&made->document, &DocumentController::failed);
    made->answers.place = record;
    QVERIFY(!made->document.save());
    QCOMPARE(failed.count(), 1);
    QCOMPARE(read(record), before);
    made->answers.place = path("copy.yaml");
    QVERIFY(made->document.save());
    QCOMPARE(read(path("copy.yaml")), QByteArray("name: other\n"));
    QVERIFY(made->document.hasFile());
  }

  void anExternalChangeIsNotOverwrittenUnasked_data() {
    QTest::addColumn<int>("answer");
    QTest::addColumn<QByteArray>("inFile");
    QTest::addColumn<QString>("shown");
    using Overwriting = DocumentQuestions::Overwriting;
    const auto row = [](const char* name, Overwriting answer, const char* inFile,
                        const char* shown) {
      QTest::newRow(name) << static_cast<int>(answer) << QByteArray(inFile) << text(shown);
    };
    row("overwrite", Overwriting::Overwrite, "two", "two");
    row("reload", Overwriting::Reload, "theirs", "theirs");
    row("elsewhere", Overwriting::SaveAs, "theirs", "two");
    row("cancel", Overwriting::Cancel, "theirs", "two");
  }
  void anExternalChangeIsNotOverwrittenUnasked() {
    QFETCH(int, answer);
    QFETCH(QByteArray, inFile);
    QFETCH(QString, shown);
    const auto made = edited();
    write(path("a.yaml"), "theirs");
    made->answers.overwriting = static_cast<DocumentQuestions::Overwriting>(answer);
    made->answers.place = path("elsewhere.yaml");
    made->document.save();
    QVERIFY(made->answers.asked.contains(text("overwrite a.yaml")));
    QCOMPARE(made->answers.difference, text("   1 − theirs\n   1 + two"));
    QCOMPARE(read(path("a.yaml")), inFile);
    QCOMPARE(made->shown, shown);
    const bool isCancelled = made->answers.overwriting == DocumentQuestions::Overwriting::Cancel;
    QCOMPARE(made->document.isUnsaved(), isCancelled);
    QTRY_COMPARE(draftCount(), isCancelled ? 1 : 0);
  }

  void anUnreadableFileIsNotLoaded_data() {
    QTest::addColumn<int>("answer");
    QTest::addColumn<QByteArray>("inFile");
    QTest::addColumn<QString>("message");
    using Overwriting = DocumentQuestions::Overwriting;
    const auto row = [](const char* name, Overwriting answer, const char* inFile,
                        const char* message) {
      QTest::newRow(name) << static_cast<int>(answer) << QByteArray(inFile) << text(message);
    };
    row("overwrite", Overwriting::Overwrite, "two", "");
    row("reload", Overwriting::Reload, "\xff\xff", "is not UTF-8");
    row("cancel", Overwriting::Cancel, "\xff\xff", "");
  }
  void anUnreadableFileIsNotLoaded() {
    QFETCH(int, answer);
    QFETCH(QByteArray, inFile);
    QFETCH(QString, message);
    const auto made = edited();
    write(path("a.yaml"), "\xff\xff");
    QSignalSpy failed(&made->document, &DocumentController::failed);
    made->answers.overwriting = static_cast<DocumentQuestions::Overwriting>(answer);
    const bool isSaved = made->answers.overwriting == DocumentQuestions::Overwriting::Overwrite;
    QCOMPARE(made->document.save(), isSaved);
    QCOMPARE(made->answers.asked, QStringList{text("overwrite unreadable a.yaml")});
    QVERIFY(made->answers.reason.contains(text("is not UTF-8")));
    QCOMPARE(failed.count(), message.isEmpty() ? 0 : 1);
    if (!message.isEmpty()) QVERIFY(failed[0][1].toString().contains(message));
    QCOMPARE(made->shown, text("two"));
    QCOMPARE(read(path("a.yaml")), inFile);
    QCOMPARE(made->document.isUnsaved(), !isSaved);
    QTRY_COMPARE(draftCount(), isSaved ? 0 : 1);
  }

  void aFileDeletedDuringTheQuestionKeepsTheText() {
    const auto made = edited();
    write(path("a.yaml"), "theirs");
    QSignalSpy failed(&made->document, &DocumentController::failed);
    made->answers.overwriting = DocumentQuestions::Overwriting::Reload;
    made->answers.whileAsked = [this] { QVERIFY(QFile::remove(path("a.yaml"))); };
    QVERIFY(!made->document.save());
    QCOMPARE(made->answers.asked, QStringList{text("overwrite a.yaml")});
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed[0][1].toString().contains(text("deleted or moved")));
    QCOMPARE(made->shown, text("two"));
    QVERIFY(made->document.isUnsaved());
    QTRY_COMPARE(draftCount(), 1);
  }

  void aFileUnreadableDuringTheQuestionIsAskedAboutAgain() {
    const auto made = edited();
    write(path("a.yaml"), "theirs");
    made->answers.overwriting = DocumentQuestions::Overwriting::Reload;
    made->answers.whileAsked = [this, &made] {
      write(path("a.yaml"), "\xff");
      made->answers.whileAsked = [&made] {
        made->answers.overwriting = DocumentQuestions::Overwriting::Cancel;
      };
    };
    QVERIFY(!made->document.save());
    QCOMPARE(made->answers.asked,
             (QStringList{text("overwrite a.yaml"), text("overwrite unreadable a.yaml")}));
    QCOMPARE(made->shown, text("two"));
    QVERIFY(made->document.isUnsaved());
  }

  void aChangeDuringTheQuestionIsShownBeforeItIsLost_data() {
    QTest::addColumn<int>("answer");
    QTest::addColumn<QByteArray>("inFile");
    using Overwriting = DocumentQuestions::Overwriting;
    QTest::newRow("overwrite") << static_cast<int>(Overwriting::Overwrite) << QByteArray("two");
    QTest::newRow("reload") << static_cast<int>(Overwriting::Reload) << QByteArray("theirs 2");
  }
  void aChangeDuringTheQuestionIsShownBeforeItIsLost() {
    QFETCH(int, answer);
    QFETCH(QByteArray, inFile);
    const auto made = edited();
    write(path("a.yaml"), "theirs");
    made->answers.overwriting = static_cast<DocumentQuestions::Overwriting>(answer);
    made->answers.whileAsked = [this, &made] {
      write(path("a.yaml"), "theirs 2");
      QSignalSpy seen(&made->document, &DocumentController::noticeChanged);
      made->document.checkFile();  // as the watcher does while a dialog is open
      QVERIFY(seen.wait());
    };
    made->document.save();
    QCOMPARE(made->answers.asked.size(), 2);
    QCOMPARE(made->answers.difference, text("   1 − theirs 2\n   1 + two"));
    QCOMPARE(read(path("a.yaml")), inFile);
    QCOMPARE(made->shown, QString::fromUtf8(inFile));
  }

  void aFileChangedBackDuringTheQuestionIsAskedAboutAgain() {
    const auto made = edited();
    write(path("a.yaml"), "theirs");
    QSignalSpy failed(&made->document, &DocumentController::failed);
    made->answers.overwriting = DocumentQuestions::Overwriting::Reload;
    made->answers.whileAsked = [this] { write(path("a.yaml"), "one"); };
    QVERIFY(!made->document.save());
    QCOMPARE(failed.count(), 1);
    QCOMPARE(made->shown, text("two"));
    QCOMPARE(read(path("a.yaml")), QByteArray("one"));
    QVERIFY(made->document.isUnsaved());
  }

  void anExternalChangeToTheSameTextIsNoConflict() {
    const auto made = edited();
    write(path("a.yaml"), "two");
    QVERIFY(made->document.save());
    QVERIFY(made->answers.asked.isEmpty());
    QVERIFY(!made->document.isUnsaved());
  }

  void anExternalChangeIsLoadedIfNothingIsEdited() {
    write(path("a.yaml"), "one");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    write(path("a.yaml"), "theirs");
    QTRY_COMPARE(made->shown, text("theirs"));
    QCOMPARE(made->document.notice().kind, Kind::Reloaded);
    QVERIFY(!made->document.isUnsaved());
    QVERIFY(made->answers.asked.isEmpty());
    // Undo restores the previous text, which is an edit again.
    made->type("one");
    QVERIFY(made->document.isUnsaved());
  }

  void anExternalChangeIsReportedIfSomethingIsEdited() {
    const auto made = edited();
    write(path("a.yaml"), "theirs");
    QTRY_COMPARE(made->document.notice().kind, Kind::ChangedOutside);
    QCOMPARE(made->shown, text("two"));
    made->document.acceptNotice();
    QCOMPARE(made->shown, text("theirs"));
    QVERIFY(!made->document.isUnsaved());
    QCOMPARE(made->document.notice().kind, Kind::None);
  }

  void aDeletedFileIsReportedAndItsTextKept() {
    write(path("a.yaml"), "one");
    auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QVERIFY(QFile::remove(path("a.yaml")));
    QTRY_COMPARE(made->document.notice().kind, Kind::Gone);
    QVERIFY(made->document.isUnsaved());
    QTRY_COMPARE(draftCount(), 1);
    QVERIFY(!made->document.close());  // asked
    QVERIFY(made->document.save());
    QCOMPARE(read(path("a.yaml")), QByteArray("one"));
    QVERIFY(!made->document.isUnsaved());
    QTRY_COMPARE(draftCount(), 0);
  }

  void aFailedSaveIsReportedAndKeepsTheEdits() {
    const auto made = edited();
    QSignalSpy failed(&made->document, &DocumentController::failed);
    made->answers.overwriting = DocumentQuestions::Overwriting::SaveAs;
    made->answers.place = path("no/such/b.yaml");
    QVERIFY(!made->document.saveAs());
    QCOMPARE(failed.count(), 1);
    QVERIFY(failed[0][1].toString().contains(text("no/such")));
    QCOMPARE(made->document.path(), path("a.yaml"));
    QVERIFY(made->document.isUnsaved());
    QTRY_COMPARE(draftCount(), 1);
  }

  void savingInAnotherFolderRewritesRelativePaths() {
    QVERIFY(QDir(folder()).mkdir(text("elsewhere")));
    write(path("a.yaml"), "base: base.yaml  # mine\nmodel: {weights: ../w}\nname: a\n");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    made->answers.place = path("elsewhere/b.yaml");
    QVERIFY(made->document.saveAs());
    const QByteArray moved = "base: ../base.yaml  # mine\nmodel: {weights: ../../w}\nname: a\n";
    QCOMPARE(read(path("elsewhere/b.yaml")), moved);
    QCOMPARE(made->shown, QString::fromUtf8(moved));
    QVERIFY(!made->document.isUnsaved());
    QCOMPARE(made->document.notice().kind, Kind::PathsMoved);
    QVERIFY(made->document.notice().detail.contains(text("base, model.weights")));
    QVERIFY(made->document.notice().detail.contains(folder()));
    QCOMPARE(draftCount(), 0);
    // In the same folder no path changes, and there is no message.
    made->answers.place = path("elsewhere/c.yaml");
    QVERIFY(made->document.saveAs());
    QCOMPARE(read(path("elsewhere/c.yaml")), moved);
    QCOMPARE(made->document.notice().kind, Kind::None);
  }

  void aFailedSaveRewritesNoPath() {
    write(path("a.yaml"), "base: base.yaml\n");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    made->answers.place = path("no/such/b.yaml");
    QVERIFY(!made->document.saveAs());
    QCOMPARE(made->shown, text("base: base.yaml\n"));
    QVERIFY(!made->document.isUnsaved());
  }

  void anUnsavedDocumentIsAskedAbout() {
    const auto made = window();
    QVERIFY(made->document.openCopyOfRun(tests::makeRun(folder(), {})));
    made->type("name: other\n");
    QVERIFY(!made->document.close());
    QVERIFY(made->answers.asked.last().startsWith(text("leave without a file ")));
    const auto gone = edited();
    QVERIFY(QFile::remove(path("a.yaml")));
    gone->document.checkFile();
    QTRY_VERIFY(!gone->document.hasFile());
    QVERIFY(!gone->document.close());
    QCOMPARE(gone->answers.asked.last(), text("leave without a file a.yaml"));
  }

  void trainingAsksOnceAndOnlyAfterEdits_data() {
    QTest::addColumn<int>("answer");
    QTest::addColumn<QString>("trained");
    QTest::addColumn<QByteArray>("inFile");
    using Training = DocumentQuestions::Training;
    const auto row = [](const char* name, Training answer, const char* trained,
                        const char* inFile) {
      QTest::newRow(name) << static_cast<int>(answer) << text(trained) << QByteArray(inFile);
    };
    row("save and train", Training::Save, "a.yaml", "two");
    row("a copy", Training::Copy, "a-2.yaml", "one");
    row("cancel", Training::Cancel, "", "one");
  }
  void trainingAsksOnceAndOnlyAfterEdits() {
    QFETCH(int, answer);
    QFETCH(QString, trained);
    QFETCH(QByteArray, inFile);
    write(path("a.yaml"), "one");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    QCOMPARE(made->document.fileToTrain(), path("a.yaml"));
    QVERIFY(made->answers.asked.isEmpty());
    made->type("two");
    made->answers.training = static_cast<DocumentQuestions::Training>(answer);
    const QString file = made->document.fileToTrain();
    QCOMPARE(file, trained.isEmpty() ? QString() : folder() + QLatin1Char('/') + trained);
    QCOMPARE(made->answers.asked, QStringList{text("train a.yaml")});
    QCOMPARE(made->answers.copyName, text("a-2.yaml"));
    QCOMPARE(read(path("a.yaml")), inFile);
    if (file.isEmpty()) return;
    QCOMPARE(read(file), QByteArray("two"));
    QCOMPARE(made->document.fileToTrain(), file);  // there are no edits left
    QCOMPARE(made->answers.asked.size(), 1);
  }

  void aChangeOnDiskIsSeenBeforeTraining() {
    write(path("a.yaml"), "one");
    const auto made = window();
    QVERIFY(made->document.open(path("a.yaml")));
    write(path("a.yaml"), "theirs");
    QVERIFY(made->document.fileToTrain().isEmpty());
    QCOMPARE(made->shown, text("theirs"));
    QCOMPARE(made->document.notice().kind, Kind::Reloaded);
    QCOMPARE(made->document.fileToTrain(), path("a.yaml"));
  }
};

LOCKSTEP_TEST(TstDocumentController)
#include "tst_document_controller.moc"
