#include <QTemporaryDir>
#include <QTest>
#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "engine/base/file_lock.h"
#include "tests/support/test_main.h"

using lockstep::base::FileLock;

class TstFileLock : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;
  std::filesystem::path path(const char* name) const {
    return std::filesystem::path(folder_.path().toStdString()) / name;
  }

 private Q_SLOTS:
  void aLockIsHeldUntilReleased() {
    const auto file = path("one.lock");
    QVERIFY(!FileLock::isHeld(file));
    {
      const auto lock = FileLock::tryAcquire(file);
      QVERIFY(lock);
      QVERIFY(FileLock::isHeld(file));
      QVERIFY(!FileLock::tryAcquire(file));
    }
    QVERIFY(!FileLock::isHeld(file));
    QVERIFY(FileLock::tryAcquire(file));
  }

  void sharedHoldersKeepAnExclusiveOneOut() {
    using enum FileLock::Sharing;
    const auto file = path("shared.lock");
    auto first = FileLock::tryAcquireAtOnce(file, Shared);
    auto second = FileLock::tryAcquireAtOnce(file, Shared);
    QVERIFY(first && second);
    QVERIFY(!FileLock::tryAcquireAtOnce(file, Exclusive));
    first.reset();
    QVERIFY(!FileLock::tryAcquireAtOnce(file, Exclusive));
    second.reset();
    const auto whole = FileLock::tryAcquireAtOnce(file, Exclusive);
    QVERIFY(whole);
    QVERIFY(!FileLock::tryAcquireAtOnce(file, Shared));
    QVERIFY(whole->share());
    QVERIFY(FileLock::tryAcquireAtOnce(file, Shared));
    QVERIFY(!FileLock::tryAcquireAtOnce(file, Exclusive));
    QVERIFY(whole->isAt(file));
    std::filesystem::remove(file);
    QVERIFY(!whole->isAt(file));
    QVERIFY2(FileLock::tryAcquireAtOnce(file, Exclusive), "another file");
    QVERIFY(!whole->isAt(file));
  }

  void aHeldLockIsVisibleThoughOthersRemoveTheFile() {
    const auto file = path("removed.lock");
    std::atomic<int> unseen = 0, together = 0, holders = 0;
    const auto holdAndRemove = [&] {
      for (int turn = 0; turn < 2000; ++turn) {
        const auto lock = FileLock::tryAcquire(file);
        if (!lock) continue;
        together += holders.fetch_add(1) > 0;
        unseen += !FileLock::isHeld(file);
        --holders;
        std::filesystem::remove(file);
      }
    };
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < 3; ++i) threads.emplace_back(holdAndRemove);
    }
    QCOMPARE(unseen.load(), 0);
    QCOMPARE(together.load(), 0);
  }
};

LOCKSTEP_TEST(TstFileLock)
#include "tst_file_lock.moc"
