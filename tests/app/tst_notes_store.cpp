#include <QDir>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/list/notes_store.h"
#include "engine/base/atomic_file.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::NotesStore;
using run_folder::RunNotes;

class TstNotesStore : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void notesOfOurRunsStandInTheirFolders() {
    const QTemporaryDir folder;
    const QString run = tests::makeRun(folder.path(), tests::made("run", 1000));
    NotesStore store(folder.filePath(QStringLiteral("notes.json")));
    QSignalSpy changed(&store, &NotesStore::changed);
    store.change({run}, [](RunNotes& notes) { notes.tags = {"best"}; });
    QTRY_COMPARE(changed.count(), 1);
    QCOMPARE(changed[0][0].toString(), run);
    QCOMPARE(changed[0][1].value<RunNotes>().tags, std::vector<std::string>{"best"});
    QVERIFY(run_folder::readRunNotes(run_folder::Layout(run.toStdString())) ==
            changed[0][1].value<RunNotes>());
    QVERIFY(!QFile::exists(folder.filePath(QStringLiteral("notes.json"))));
  }

  void foldersOfOtherProgramsAreNotWritten() {
    const QTemporaryDir folder;
    const QString run = folder.filePath(QStringLiteral("d2"));
    QVERIFY(QDir().mkpath(run));
    base::writeFileAtomically(run.toStdString() + "/metrics.json", "{\"iteration\": 39}\n");
    const QString file = folder.filePath(QStringLiteral("config/notes.json"));
    NotesStore store(file);
    QSignalSpy changed(&store, &NotesStore::changed);
    store.change({run}, [](RunNotes& notes) { notes.pinned = true; });
    QTRY_COMPARE(changed.count(), 1);
    QCOMPARE(QDir(run).entryList(QDir::Files | QDir::Hidden),
             QStringList{QStringLiteral("metrics.json")});
    QVERIFY(run_folder::NotesByFolder::read(file.toStdString()).of(run.toStdString()).pinned);
  }

  void notesOfRunsOnOtherMachinesStandInTheUsersFile() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("notes.json"));
    const QString run = QStringLiteral("ssh://ada@node7:22/runs/a");
    NotesStore store(file);
    QSignalSpy changed(&store, &NotesStore::changed);
    const RunNotes given{"theirs", {"x"}, "", false, false};
    store.change(
        {run}, [](RunNotes& notes) { notes.tags.push_back("y"); }, given);
    QTRY_COMPARE(changed.count(), 1);
    const RunNotes both{"theirs", {"x", "y"}, "", false, false};
    QVERIFY(changed[0][1].value<RunNotes>() == both);
    QVERIFY(run_folder::NotesByFolder::read(file.toStdString()).of(run.toStdString()) == both);
  }

  void changesOfARunAreMadeInTheirOrder() {
    const QTemporaryDir folder;
    const QStringList runs{tests::makeRun(folder.path(), tests::made("a", 1000)),
                           tests::makeRun(folder.path(), tests::made("b", 1000))};
    NotesStore store(folder.filePath(QStringLiteral("notes.json")));
    QSignalSpy changed(&store, &NotesStore::changed);
    constexpr int kChanges = 20;
    std::string all;
    for (int i = 0; i < kChanges; ++i) {
      const std::string letter(1, static_cast<char>('a' + i));
      all += letter;
      store.change(runs, [letter](RunNotes& notes) { notes.note += letter; });
    }
    QTRY_COMPARE(changed.count(), 2 * kChanges);
    for (const QString& run : runs)
      QCOMPARE(run_folder::readRunNotes(run_folder::Layout(run.toStdString())).note, all);
  }

  /// It may come back: its notes must not be in another file then.
  void notesOfAFolderThatIsGoneAreRefused() {
    const QTemporaryDir folder;
    const QString run = tests::makeRun(folder.path(), tests::made("run", 1000));
    const QString away = folder.filePath(QStringLiteral("away"));
    QVERIFY(QDir().rename(run, away));
    const QString file = folder.filePath(QStringLiteral("config/notes.json"));
    NotesStore store(file);
    QSignalSpy failed(&store, &NotesStore::failed);
    store.change({run}, [](RunNotes& notes) { notes.tags = {"q"}; });
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(failed[0][1].toString().contains(QStringLiteral("does not exist any more")));
    QVERIFY(!QFile::exists(file));
  }

  void aFailureIsSaidAndTheNextChangeIsMade() {
    const QTemporaryDir folder;
    const QString run = tests::makeRun(folder.path(), tests::made("run", 1000));
    const auto file = run_folder::notesFile(run_folder::Layout(run.toStdString()));
    base::writeFileAtomically(file, "{");
    NotesStore store(folder.filePath(QStringLiteral("notes.json")));
    QSignalSpy changed(&store, &NotesStore::changed), failed(&store, &NotesStore::failed);
    store.change({run}, [](RunNotes& notes) { notes.pinned = true; });
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(failed[0][0].toString(), run);
    QCOMPARE(failed[0][1].toString(),
             QString::fromStdString(file.string() + ": invalid JSON at byte 2"));
    base::writeFileAtomically(file, "{}");
    store.change({run}, [](RunNotes& notes) { notes.pinned = true; });
    QTRY_COMPARE(changed.count(), 1);
  }
};

LOCKSTEP_TEST(TstNotesStore)
#include "tst_notes_store.moc"
