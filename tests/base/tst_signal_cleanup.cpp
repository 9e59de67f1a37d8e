#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "engine/base/signal_cleanup.h"
#include "tests/support/test_main.h"

using namespace lockstep;
namespace fs = std::filesystem;

class TstSignalCleanup : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    folder_ = std::make_unique<QTemporaryDir>();
    fs::create_directories(unpacked() / "deep");
    std::ofstream(unpacked() / "deep/file") << "x";
    std::ofstream(partial()) << "x";
  }

  void aSignalRemovesAllAndEndsTheProcess_data() {
    QTest::addColumn<int>("number");
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) QTest::addRow("%d", number) << number;
  }
  void aSignalRemovesAllAndEndsTheProcess() {
    QFETCH(int, number);
    const pid_t child = ::fork();
    if (child == 0) {
      const base::SignalCleanup cleanup({unpacked(), partial()});
      ::kill(::getpid(), number);
      for (;;) ::pause();
    }
    int status = 0;
    QCOMPARE(::waitpid(child, &status, 0), child);
    QVERIFY(WIFSIGNALED(status));
    QCOMPARE(WTERMSIG(status), number);
    QVERIFY(!fs::exists(unpacked()) && !fs::exists(partial()));
  }

  void withoutASignalNothingIsRemoved() {
    sigset_t before, after;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
    { const base::SignalCleanup cleanup({unpacked(), partial()}); }
    ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
    for (const int number : {SIGINT, SIGTERM, SIGHUP})
      QCOMPARE(::sigismember(&after, number), ::sigismember(&before, number));
    QVERIFY(fs::exists(unpacked()) && fs::exists(partial()));
  }

 private:
  fs::path unpacked() const { return fs::path(folder_->path().toStdString()) / "unpacked"; }
  fs::path partial() const { return fs::path(folder_->path().toStdString()) / "partial"; }

  std::unique_ptr<QTemporaryDir> folder_;
};

LOCKSTEP_TEST(TstSignalCleanup)
#include "tst_signal_cleanup.moc"
