#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QDir>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::messageOf;

class TstAtomicFile : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

 private Q_SLOTS:
  void filesRoundTrip() {
    std::string content = "a\0b\r\n\xff";
    content += std::string(100000, 'x');
    base::writeFileAtomically(path("a.txt"), content);
    QVERIFY(base::readFile(path("a.txt")) == content);
    base::writeFileAtomically(path("a.txt"), "");
    QVERIFY(base::readFile(path("a.txt")).empty());
  }

  void filesOfUnknownSizeAreReadCompletely() {
    QVERIFY(base::readFile("/proc/self/status").find("Threads:") != std::string::npos);
  }

  void noTemporaryFileIsLeft() {
    base::writeFileAtomically(path("b.txt"), "1");
    QVERIFY(!messageOf([&] { base::writeFileAtomically(path("no/c.txt"), "1"); }).empty());
    std::filesystem::create_directory(path("taken"));
    std::filesystem::create_directory(path("taken/full"));
    QVERIFY(!messageOf([&] { base::writeFileAtomically(path("taken"), "1"); }).empty());
    const QStringList hidden =
        QDir(folder_.path()).entryList({QStringLiteral(".lockstep*")}, QDir::Files | QDir::Hidden);
    QCOMPARE(hidden, QStringList());
  }

  void whatCannotBeWrittenIsSaidBefore() {
    QVERIFY(!messageOf([&] { base::checkWritable(path("no/d.txt")); }).empty());
    base::writeFileAtomically(path("d.txt"), "kept");
    base::checkWritable(path("d.txt"));
    base::checkWritable(path("new.txt"));
    QCOMPARE(base::readFile(path("d.txt")), std::string("kept"));
    QVERIFY(!std::filesystem::exists(path("new.txt")));
  }

  /// In a container every start may have the process number of the one that was killed.
  void temporaryFilesOfAKilledProcessWithThisPidAreSkipped() {
    const std::filesystem::path folder = path("killed");
    std::filesystem::create_directory(folder);
    const auto leftover = [&](int number) {
      return folder /
             (".lockstep-" + std::to_string(::getpid()) + "-" + std::to_string(number) + ".tmp");
    };
    constexpr int kLeftovers = 300;  // more than this program has written before
    for (int number = 0; number < kLeftovers; ++number) std::ofstream(leftover(number)) << "half";
    const std::string error =
        messageOf([&] { base::writeFileAtomically(folder / "run.json", "whole"); });
    QVERIFY2(error.empty(), error.c_str());
    QCOMPARE(base::readFile(folder / "run.json"), std::string("whole"));
    for (int number = 0; number < kLeftovers; ++number)
      QCOMPARE(base::readFile(leftover(number)), std::string("half"));
  }

  void temporaryFilesOfDeadProcessesAreRemoved() {
    const std::filesystem::path folder = path("dead");
    std::filesystem::create_directory(folder);
    const pid_t dead = ::fork();
    if (dead == 0) ::_exit(0);
    QCOMPARE(::waitpid(dead, nullptr, 0), dead);
    const auto name = [](pid_t process) {
      return ".lockstep-" + std::to_string(process) + "-7.tmp";
    };
    const QStringList kept{QString::fromStdString(name(::getppid())),
                           QStringLiteral(".lockstep-1-x"), QStringLiteral(".lockstep-12345"),
                           QStringLiteral("lockstep-99999-1.tmp"), QStringLiteral("run.json")};
    for (const QString& file : kept) std::ofstream(folder / file.toStdString()) << "kept";
    for (const pid_t process : {dead, ::getpid()}) std::ofstream(folder / name(process)) << "half";
    base::removeTemporaryFiles(folder);
    QStringList left = QDir(QString::fromStdString(folder.string()))
                           .entryList(QDir::Files | QDir::Hidden, QDir::Unsorted);
    QCOMPARE(QSet<QString>(left.cbegin(), left.cend()), QSet<QString>(kept.cbegin(), kept.cend()));
    base::removeTemporaryFiles(path("no folder"));
  }

  void whatIsNoFileIsRefused() {
    const std::filesystem::path fifo = path("fifo");
    QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
    const std::string isPipe =
        fifo.string() + ": cannot write here: is a pipe; expected a regular file";
    QCOMPARE(messageOf([&] { base::writeFileAtomically(fifo, "x"); }), isPipe);
    QCOMPARE(messageOf([&] { base::checkWritable(fifo); }), isPipe);
    QVERIFY(std::filesystem::is_fifo(fifo));
    QVERIFY(!messageOf([&] { base::writeFileAtomically("/dev/null", "x"); }).empty());
  }

  void permissionsAndSymlinksAreKept() {
    base::writeFileAtomically(path("target.txt"), "old");
    ::chmod(path("target.txt").c_str(), 0640);
    std::filesystem::create_symlink("target.txt", path("link.txt"));
    base::writeFileAtomically(path("link.txt"), "new");
    QVERIFY(std::filesystem::is_symlink(path("link.txt")));
    QCOMPARE(base::readFile(path("target.txt")), std::string("new"));
    struct stat status;
    QCOMPARE(::stat(path("target.txt").c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777, mode_t{0640});
  }

  void aDanglingSymlinkIsKept() {
    std::filesystem::create_directory(path("elsewhere"));
    std::filesystem::create_symlink("elsewhere/later.txt", path("dangling.txt"));
    base::writeFileAtomically(path("dangling.txt"), "new");
    QVERIFY(std::filesystem::is_symlink(path("dangling.txt")));
    QCOMPARE(base::readFile(path("elsewhere/later.txt")), std::string("new"));
  }

  void aNewFileCanBePrivate() {
    base::writeFileAtomically(path("secret.txt"), "1", 0600);
    struct stat status;
    QCOMPARE(::stat(path("secret.txt").c_str(), &status), 0);
    QCOMPARE(status.st_mode & 0777, mode_t{0600});
  }

  void aReaderNeverSeesPartialContent() {
    const std::string one(50000, '1'), two(50000, '2');
    base::writeFileAtomically(path("turns.txt"), one);
    std::thread writer([&] {
      for (int turn = 0; turn < 50; ++turn) {
        base::writeFileAtomically(path("turns.txt"), turn % 2 ? one : two);
      }
    });
    int wrong = 0;
    for (int turn = 0; turn < 500; ++turn) {
      const std::string seen = base::readFile(path("turns.txt"));
      wrong += seen != one && seen != two;
    }
    writer.join();
    QCOMPARE(wrong, 0);
  }

  void errorsNameThePathAndTheReason() {
    const std::string missing = messageOf([&] { base::readFile(path("missing.txt")); });
    QCOMPARE(missing, path("missing.txt").string() + ": cannot read: No such file or directory");
    const std::string directory = messageOf([&] { base::readFile(folder_.path().toStdString()); });
    QVERIFY(directory.find("Is a directory") != std::string::npos);
    try {
      base::readFile(path("missing.txt"));
      QFAIL("was read");
    } catch (const base::SystemError& error) {
      QCOMPARE(error.number(), ENOENT);
    }
    QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
    QCOMPARE(messageOf([&] { base::readFile(path("pipe")); }),
             path("pipe").string() + ": is a pipe; expected a regular file");
    QCOMPARE(messageOf([&] { base::readFile("/dev/zero"); }),
             std::string("/dev/zero: is a device; expected a regular file"));
    const std::string sync = messageOf([&] { base::syncToDisk(path("missing.txt")); });
    QVERIFY(sync.find("missing.txt") != std::string::npos);
  }

  void foldersCanBeSynced() { base::syncToDisk(folder_.path().toStdString()); }
};

LOCKSTEP_TEST(TstAtomicFile)

#include "tst_atomic_file.moc"
