#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "app/runs/list/run_scan.h"
#include "engine/base/atomic_file.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunScan;
namespace fs = std::filesystem;

class TstRunScan : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void onlyWhatHasChangedIsReported() {
    const QTemporaryDir parent;
    make(parent, "a", 1000);
    make(parent, "b", 500);
    RunScan scan;
    QCOMPARE(namesOf(scan.update(wanted(parent)).found), QStringLiteral("b a"));
    QVERIFY(scan.update(wanted(parent)).found.empty());
    make(parent, "a", 1000, 7);
    make(parent, "c", 10);
    const RunScan::Changes changes = scan.update(wanted(parent));
    QCOMPARE(namesOf(changes.found), QStringLiteral("c a"));
    QCOMPARE(changes.found[1].summary.info.step, std::int64_t{7});
    QVERIFY(changes.gone.empty());
    fs::remove_all(folderOf(parent, "b"));
    const RunScan::Changes later = scan.update(wanted(parent));
    QCOMPARE(later.gone, std::vector<fs::path>{folderOf(parent, "b")});
    QVERIFY(later.found.empty());
  }

  /// A run.json with the time, size and inode that it had is not opened.
  void whatHasTheSameTimeIsNotReadAgain() {
    const QTemporaryDir parent;
    make(parent, "a", 1000);
    RunScan scan;
    scan.update(wanted(parent));
    const fs::path file = folderOf(parent, "a") / "run.json";
    const auto time = fs::last_write_time(file);
    std::string text = base::readFile(file);
    const auto at = text.find("\"step\": 0");
    QVERIFY(at != std::string::npos);
    text[at + 8] = '5';
    {
      std::fstream inPlace(file, std::ios::in | std::ios::out);
      inPlace << text;
    }
    fs::last_write_time(file, time);
    QVERIFY(scan.update(wanted(parent)).found.empty());
    fs::last_write_time(file, time + std::chrono::seconds(1));
    const RunScan::Changes changes = scan.update(wanted(parent));
    QCOMPARE(changes.found.size(), std::size_t{1});
    QCOMPARE(changes.found[0].summary.info.step, std::int64_t{5});
  }

  void aMoveInTheQueueIsAChange() {
    const QTemporaryDir parent;
    RunScan scan;
    for (const int position : {2, 1}) {
      make(parent, "a", 1000, 0, protocol::RunState::Queued, position);
      const RunScan::Changes changes = scan.update(wanted(parent));
      QCOMPARE(changes.found.size(), std::size_t{1});
      QCOMPARE(changes.found[0].summary.info.queuePosition, std::optional(position));
    }
  }

  /// Its process may end without a word.
  void aRunWithAProcessIsLookedAtEveryTime() {
    const QTemporaryDir parent;
    make(parent, "a", 1000, 1, protocol::RunState::Running);
    auto lock = run_folder::RunLock::tryAcquire(run_folder::Layout(folderOf(parent, "a")));
    RunScan scan;
    QVERIFY(scan.update(wanted(parent)).found.at(0).summary.alive);
    lock.reset();
    const RunScan::Changes changes = scan.update(wanted(parent));
    QCOMPARE(changes.found.size(), std::size_t{1});
    QVERIFY(!changes.found[0].summary.alive);
    QVERIFY(changes.found[0].summary.info.state == protocol::RunState::Failed);
    QVERIFY(scan.update(wanted(parent)).found.empty());
  }

  void changedNotesAreAChange() {
    const QTemporaryDir parent;
    make(parent, "a", 1000);
    make(parent, "b", 500);
    const run_folder::Layout layout(folderOf(parent, "a"));
    RunScan scan;
    scan.update(wanted(parent));
    run_folder::writeRunNotes(layout, {"new name", {"tag"}, "", true, false});
    const RunScan::Changes changes = scan.update(wanted(parent));
    QCOMPARE(changes.found.size(), std::size_t{1});
    QVERIFY(changes.found[0].notes == run_folder::readRunNotes(layout));
    QVERIFY(scan.update(wanted(parent)).found.empty());
    base::writeFileAtomically(run_folder::notesFile(layout), "{");
    const RunScan::Changes damaged = scan.update(wanted(parent));
    QCOMPARE(damaged.found.size(), std::size_t{1});
    QVERIFY(damaged.found[0].notes == run_folder::RunNotes());
    QCOMPARE(damaged.found[0].notesFault,
             run_folder::notesFile(layout).string() + ": invalid JSON at byte 2");
    fs::remove(run_folder::notesFile(layout));
    QCOMPARE(scan.update(wanted(parent)).found.size(), std::size_t{1});
  }

  /// At once, though their folders are not searched every time.
  void notesOfOtherProgramsRunsAreInAFileOfTheirOwn() {
    const QTemporaryDir parent, config;
    for (const char* name : {"a", "b"}) {
      fs::create_directories(folderOf(parent, name));
      base::writeFileAtomically(folderOf(parent, name) / "metrics.json", "{\"iteration\": 39}\n");
    }
    RunScan::Wanted both = wanted(parent);
    both.foreignNotes = folderOf(config, "notes.json");
    RunScan scan;
    QCOMPARE(scan.update(both).found.size(), std::size_t{2});
    run_folder::NotesByFolder::change(both.foreignNotes, folderOf(parent, "b"),
                                      [](auto& notes) { notes.note = "of b"; });
    const RunScan::Changes changes = scan.update(both);
    QCOMPARE(namesOf(changes.found), QStringLiteral("b"));
    QCOMPARE(changes.found[0].notes.note, std::string("of b"));
    QVERIFY(scan.update(both).found.empty());
    base::writeFileAtomically(both.foreignNotes, "{");
    const RunScan::Changes damaged = scan.update(both);
    QCOMPARE(damaged.found.size(), std::size_t{2});
    QVERIFY(damaged.found[0].notesFault.starts_with(both.foreignNotes.string() + ": invalid JSON"));
  }

  void aFolderWithoutPermissionIsSaid() {
    const QTemporaryDir parent;
    make(parent, "a", 1000);
    make(parent, "b", 500);
    fs::permissions(parent.path().toStdString(), fs::perms(0755));
    fs::permissions(folderOf(parent, "b"), fs::perms::none);
    const bool isRoot = geteuid() == 0;  // may look into all
    if (isRoot) QCOMPARE(seteuid(65534), 0);
    const RunScan::Changes changes = RunScan().update(wanted(parent));
    if (isRoot) QCOMPARE(seteuid(0), 0);
    fs::permissions(folderOf(parent, "b"), fs::perms(0755));
    QCOMPARE(namesOf(changes.found), QStringLiteral("a"));
    QCOMPARE(changes.error, std::string());
    QCOMPARE(changes.closed,
             parent.path().toStdString() + ": no permission to look into b; it is not listed");
    QCOMPARE(RunScan().update(wanted(parent)).closed, std::string());
  }

  void aFolderBecomesARun() {
    const QTemporaryDir parent;
    fs::create_directories(folderOf(parent, "a"));
    std::ofstream(fs::path(parent.path().toStdString()) / "a file");
    RunScan scan;
    QVERIFY(scan.update(wanted(parent)).found.empty());
    make(parent, "a", 1);
    QCOMPARE(scan.update(wanted(parent)).found.size(), std::size_t{1});
  }

  void singleRunsAreFoundOnce() {
    const QTemporaryDir parent, elsewhere;
    make(parent, "a", 1000);
    make(elsewhere, "b", 500);
    RunScan::Wanted both = wanted(parent);
    both.singles = {folderOf(parent, "a"), folderOf(elsewhere, "b"), "/no/such/run"};
    RunScan scan;
    QCOMPARE(namesOf(scan.update(both).found), QStringLiteral("b a"));
    QVERIFY(scan.update(both).found.empty());
    QCOMPARE(scan.update(wanted(parent)).gone, std::vector<fs::path>{folderOf(elsewhere, "b")});
  }

 private:
  static fs::path folderOf(const QTemporaryDir& parent, const char* name) {
    return fs::path(parent.path().toStdString()) / name;
  }
  static void make(const QTemporaryDir& parent, const char* name, double created,
                   std::int64_t step = 0, protocol::RunState state = protocol::RunState::Finished,
                   std::optional<int> queuePosition = std::nullopt) {
    fs::create_directories(folderOf(parent, name));
    run_folder::RunInfo info;
    info.name = name;
    info.created = created;
    info.step = step;
    info.state = state;
    info.queuePosition = queuePosition;
    run_folder::writeRunInfo(run_folder::Layout(folderOf(parent, name)), info);
  }
  static RunScan::Wanted wanted(const QTemporaryDir& parent) {
    return {parent.path().toStdString(), {}};
  }
  static QString namesOf(const std::vector<app::ListedRun>& runs) {
    QStringList names;
    for (const auto& run : runs) names.append(QString::fromStdString(run.summary.info.name));
    return names.join(u' ');
  }
};

LOCKSTEP_TEST(TstRunScan)
#include "tst_run_scan.moc"
