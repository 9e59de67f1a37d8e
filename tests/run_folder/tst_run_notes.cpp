#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/run_folder/run_notes.h"
#include "tests/run_folder/other_process.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using tests::contains;
using tests::messageOf;

class TstRunNotes : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    layout_ = std::make_unique<Layout>(folder_->path().toStdString());
  }

  void whatIsWrittenIsRead() {
    QVERIFY(readRunNotes(*layout_) == RunNotes());
    const RunNotes notes{"a \"name\"", {"baseline", "two words"}, "line 1\nline 2 µ", true, true};
    writeRunNotes(*layout_, notes);
    QVERIFY(readRunNotes(*layout_) == notes);
    writeRunNotes(*layout_, {});
    QVERIFY(readRunNotes(*layout_) == RunNotes());
  }

  void aTagIsKeptOnce() {
    base::writeFileAtomically(notesFile(*layout_), R"({"tags": ["a", "", "b", "a"]})");
    const std::vector<std::string> expected{"a", "b"};
    QCOMPARE(readRunNotes(*layout_).tags, expected);
    QCOMPARE(changeRunNotes(*layout_,
                            [](auto& notes) {
                              notes.tags = {"b", "", "b"};
                            })
                 .tags,
             std::vector<std::string>{"b"});
  }

  void membersOfOtherVersionsAreKept() {
    base::writeFileAtomically(notesFile(*layout_), R"({"note": "x", "rating": 5})");
    changeRunNotes(*layout_, [](RunNotes& notes) { notes.pinned = true; });
    QVERIFY(readRunNotes(*layout_).pinned);
    QVERIFY(contains(base::readFile(notesFile(*layout_)), "\"rating\": 5"));
  }

  void aDamagedFileIsSaidAndLeft_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("fault");
    QTest::newRow("cut") << "{\"name\": \"a" << QStringLiteral(": invalid JSON at byte ");
    QTest::newRow("a list") << "[1]" << QStringLiteral(": must be a JSON object, not a list");
    QTest::newRow("type") << R"({"tags": "a"})" << QStringLiteral(": tags must be a list, not ");
  }
  void aDamagedFileIsSaidAndLeft() {
    QFETCH(const QString, text);
    QFETCH(const QString, fault);
    base::writeFileAtomically(notesFile(*layout_), text.toStdString());
    const std::string expected = notesFile(*layout_).string() + fault.toStdString();
    for (const std::string& message :
         {messageOf([&] { readRunNotes(*layout_); }),
          messageOf([&] { writeRunNotes(*layout_, {}); }),
          messageOf([&] { changeRunNotes(*layout_, [](RunNotes&) {}); })})
      QVERIFY2(message.starts_with(expected), message.c_str());
    QCOMPARE(base::readFile(notesFile(*layout_)), text.toStdString());
  }

  /// It is left by a process that was killed between creating and writing it.
  void anEmptyFileHasNoNotes() {
    base::writeFileAtomically(notesFile(*layout_), "");
    QVERIFY(readRunNotes(*layout_) == RunNotes());
    QVERIFY(changeRunNotes(*layout_, [](RunNotes& notes) { notes.pinned = true; }).pinned);
  }

  void noChangeOfAnotherProcessOrThreadIsLost() {
    constexpr int kChanges = 25;
    const auto addTags = [&](const std::string& prefix) {
      for (int i = 0; i < kChanges; ++i)
        changeRunNotes(*layout_,
                       [&](RunNotes& notes) { notes.tags.push_back(prefix + std::to_string(i)); });
    };
    const pid_t child = ::fork();
    QVERIFY(child >= 0);
    if (child == 0) {
      const bool isDone = messageOf([&] { addTags("process-"); }).empty();
      ::_exit(isDone ? 0 : 1);
    }
    {
      const std::jthread thread([&] { addTags("thread-"); });
      addTags("main-");
    }
    int status = -1;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QCOMPARE(status, 0);
    QCOMPARE(readRunNotes(*layout_).tags.size(), std::size_t{3 * kChanges});
  }

  void aLockThatIsNotReleasedIsSaid() {
    const tests::OtherProcess holder(
        [&] { return base::FileLock::tryAcquire(notesFile(*layout_)); });
    QCOMPARE(
        messageOf([&] { changeRunNotes(*layout_, [](RunNotes&) {}); }),
        notesFile(*layout_).string() + ": another program holds it; try again when that has ended");
  }

  void aFolderThatCannotBeWrittenIsSaid() {
    const Layout gone(layout_->folder() / "gone");
    const std::string message = messageOf([&] { writeRunNotes(gone, {}); });
    QVERIFY2(message.starts_with(notesFile(gone).string() + ": cannot be opened: "),
             message.c_str());
    if (::geteuid() == 0) QSKIP("root may write everything");
    QCOMPARE(::chmod(layout_->folder().c_str(), 0500), 0);
    const std::string closed = messageOf([&] { writeRunNotes(*layout_, {}); });
    ::chmod(layout_->folder().c_str(), 0700);
    QVERIFY2(contains(closed, "Permission denied"), closed.c_str());
  }

  void notesOfManyFoldersStandInOneFile() {
    const fs::path file = layout_->folder() / "new" / "notes.json";
    QVERIFY(NotesByFolder::read(file).isEmpty());
    NotesByFolder::change(file, "/runs/a", [](RunNotes& notes) { notes.note = "a"; });
    NotesByFolder::change(file, "/runs/b/", [](RunNotes& notes) { notes.pinned = true; });
    const NotesByFolder both = NotesByFolder::read(file);
    QCOMPARE(both.of("/runs/a").note, std::string("a"));
    QVERIFY(both.of("/runs/./b").pinned && !both.of("/runs/a").pinned);
    QVERIFY(both.of("/runs/c") == RunNotes());
    for (const char* folder : {"/runs/a", "/runs/b"})
      NotesByFolder::change(file, folder, [](RunNotes& notes) { notes = {}; });
    QVERIFY(NotesByFolder::read(file).isEmpty());
    base::writeFileAtomically(file, R"({"/runs/c": 1})");
    QCOMPARE(messageOf([&] { NotesByFolder::read(file); }),
             file.string() + ": /runs/c must be an object, not a number");
  }

  void whatARunHasByItselfNeedsNoPlaceInTheFileOfMany() {
    const fs::path file = layout_->folder() / "notes.json", run = "ssh://node7//runs/a";
    const RunNotes given{"theirs", {"x"}, "", false, true};
    const auto change = [&](const run_folder::NotesChange& make) {
      NotesByFolder::change(file, run, make, given);
    };
    change([](RunNotes& notes) { notes.name.clear(); });
    RunNotes expected = given;
    expected.name.clear();
    QVERIFY(NotesByFolder::read(file).of(run) == expected);
    QVERIFY(contains(base::readFile(file), "\"ssh://node7//runs/a\""));
    change([](RunNotes& notes) { notes = {}; });
    QVERIFY(NotesByFolder::read(file).find(run) != nullptr);
    change([&](RunNotes& notes) { notes = given; });
    QVERIFY(NotesByFolder::read(file).find(run) == nullptr);
  }

  void theFileOfManyIsTheUsers() {
    const QByteArray before = qgetenv("XDG_CONFIG_HOME");
    qputenv("XDG_CONFIG_HOME", "/somewhere");
    QCOMPARE(NotesByFolder::defaultFile(), fs::path("/somewhere/lockstep/notes.json"));
    qputenv("XDG_CONFIG_HOME", "relative");
    QVERIFY(NotesByFolder::defaultFile().string().ends_with("/.config/lockstep/notes.json"));
    before.isNull() ? qunsetenv("XDG_CONFIG_HOME") : qputenv("XDG_CONFIG_HOME", before);
  }

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  std::unique_ptr<Layout> layout_;
};

LOCKSTEP_TEST(TstRunNotes)
#include "tst_run_notes.moc"
