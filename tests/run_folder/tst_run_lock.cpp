#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "tests/run_folder/other_process.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using namespace lockstep::tests;

class TstRunLock : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    layout_ = Layout(folder_->path().toStdString());
  }
  void aLockIsHeldUntilDestroyed();
  void aMovedLockIsHeldByItsNewOwner();
  void anotherProcessHoldsItUntilItExits();
  void flockOfAScriptAndOfARunExcludeEachOther();
  void isHeldNeitherCreatesNorTakesTheLock();
  void isHeldDoesNotWaitForTheWriterOfAFifo();
  void isHeldOfOthersDoesNotKeepARunFromStarting();
  void aMissingFolderIsAUserError();

 private:
  std::unique_ptr<QTemporaryDir> folder_;
  Layout layout_{""};
};

void TstRunLock::aLockIsHeldUntilDestroyed() {
  {
    const auto lock = RunLock::tryAcquire(layout_);
    QVERIFY(lock);
    QVERIFY(RunLock::isHeld(layout_));
    QVERIFY(!RunLock::tryAcquire(layout_));
  }
  QVERIFY(!RunLock::isHeld(layout_));
  QVERIFY(RunLock::tryAcquire(layout_));
}

void TstRunLock::aMovedLockIsHeldByItsNewOwner() {
  auto first = RunLock::tryAcquire(layout_);
  {
    RunLock second = std::move(*first);
    first.reset();
    QVERIFY(RunLock::isHeld(layout_));
    auto elsewhere = RunLock::tryAcquire(Layout(layout_.folder()));
    QVERIFY(!elsewhere);
  }
  QVERIFY(!RunLock::isHeld(layout_));
}

void TstRunLock::anotherProcessHoldsItUntilItExits() {
  OtherProcess other([&] { return RunLock::tryAcquire(layout_); });
  QVERIFY(RunLock::isHeld(layout_));
  QVERIFY(!RunLock::tryAcquire(layout_));
  other.kill();
  QVERIFY(!RunLock::isHeld(layout_));
  QVERIFY(RunLock::tryAcquire(layout_));
}

/// The lock is flock(2) on run.lock, as scripts may use it.
void TstRunLock::flockOfAScriptAndOfARunExcludeEachOther() {
  writeText(layout_.lock(), "");
  const int fd = ::open(layout_.lock().c_str(), O_RDWR);
  QCOMPARE(::flock(fd, LOCK_EX | LOCK_NB), 0);
  QVERIFY(RunLock::isHeld(layout_));
  QCOMPARE(::flock(fd, LOCK_UN), 0);
  const auto lock = RunLock::tryAcquire(layout_);
  QVERIFY(lock);
  QCOMPARE(::flock(fd, LOCK_EX | LOCK_NB), -1);
  ::close(fd);
}

void TstRunLock::isHeldNeitherCreatesNorTakesTheLock() {
  QVERIFY(!RunLock::isHeld(layout_));
  QVERIFY(!fs::exists(layout_.lock()));
  const auto lock = RunLock::tryAcquire(layout_);
  QVERIFY(lock);
  for (int i = 0; i < 100; ++i) QVERIFY(RunLock::isHeld(layout_));
}

void TstRunLock::isHeldDoesNotWaitForTheWriterOfAFifo() {
  QCOMPARE(::mkfifo(layout_.lock().c_str(), 0600), 0);
  QVERIFY(!RunLock::isHeld(layout_));
}

void TstRunLock::isHeldOfOthersDoesNotKeepARunFromStarting() {
  writeText(layout_.lock(), "");
  OtherProcess checker([&] {
    const pid_t parent =
        ::getpid();  // asked before the fork: it may be killed before its child runs
    if (::fork() == 0) {
      while (::getppid() == parent) RunLock::isHeld(layout_);
      ::_exit(0);
    }
    return 0;
  });
  for (int i = 0; i < 200; ++i) QVERIFY(RunLock::tryAcquire(layout_));
}

void TstRunLock::aMissingFolderIsAUserError() {
  try {
    RunLock::tryAcquire(Layout(layout_.folder() / "no"));
    QFAIL("locked");
  } catch (const Error& error) {
    QCOMPARE(error.status(), ExitStatus::UserError);
    QVERIFY(QString::fromUtf8(error.what()).contains(QStringLiteral("No such file or directory")));
  }
}

LOCKSTEP_TEST(TstRunLock)
#include "tst_run_lock.moc"
