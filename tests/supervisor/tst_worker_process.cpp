#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QScopeGuard>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "engine/supervisor/worker_process.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::supervisor;
namespace fs = std::filesystem;

namespace {

int groupsKilled = 0, strangersKilled = 0;

/// Whether the number is still that of a child of ours, dead or alive.
bool isOurs(pid_t pid) {
  siginfo_t state{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &state, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/// While it lives, this process gets a signal every 50 microseconds that interrupts its calls.
class Interruptions {
 public:
  Interruptions() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGALRM, &action, &before_);
    const itimerval often{{0, 50}, {0, 50}};
    ::setitimer(ITIMER_REAL, &often, nullptr);
  }
  ~Interruptions() {
    const itimerval never{};
    ::setitimer(ITIMER_REAL, &never, nullptr);
    ::sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  struct sigaction before_ {};
};

WorkerProcess::Handlers ignoringAll() {
  return {[](const protocol::WorkerMessage&) {}, [](const std::string&) {},
          [](const WorkerExit&) {}};
}

}  // namespace

/// In the place of the C library's, for every caller in this program.
extern "C" int kill(pid_t pid, int signal) noexcept {
  if (pid < -1 && signal == SIGKILL) ++(isOurs(-pid) ? groupsKilled : strangersKilled);
  return static_cast<int>(::syscall(SYS_kill, pid, signal));
}

class TstWorkerProcess : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() { groupsKilled = strangersKilled = 0; }

  void aProgramThatCannotBeStartedIsReportedDespiteSignals() {
    const QTemporaryDir folder;
    // A file that the kernel reads and refuses takes a little while.
    const fs::path program = fs::path(folder.path().toStdString()) / "no-program";
    std::ofstream(program) << std::string(1 << 16, '\x7f');
    fs::permissions(program, fs::perms::owner_all);
    PollLoop loop;
    const Interruptions often;
    for (int i = 0; i < 50; ++i) {
      WorkerProcess worker(loop, ignoringAll());
      QVERIFY_THROWS_EXCEPTION(Error, worker.start(program, protocol::Job()));
      QVERIFY(!worker.isRunning());
    }
  }

  /// Once the leader is reaped, its number may be anybody's.
  void childrenOfAWorkerAreKilledBeforeItIsReaped() {
    const QTemporaryDir folder;
    const fs::path place = folder.path().toStdString();
    const fs::path program = place / "worker";
    std::ofstream(program) << "#!/bin/sh\nsleep 1000 &\necho $! > " << (place / "started").string()
                           << "\nexit 3\n";
    fs::permissions(program, fs::perms::owner_all);
    PollLoop loop;
    std::optional<WorkerExit> exit;
    auto handlers = ignoringAll();
    handlers.exited = [&](const WorkerExit& how) {
      exit = how;
      loop.stop();
    };
    WorkerProcess worker(loop, handlers);
    worker.start(program, protocol::Job());
    loop.run();
    QCOMPARE(exit->code, 3);
    QVERIFY(!exit->bySignal);
    QCOMPARE(groupsKilled, 1);
    QCOMPARE(strangersKilled, 0);
    int started = 0;
    std::ifstream(place / "started") >> started;
    QTRY_VERIFY(started > 0 && !tests::isAlive(started));
  }

  void idleOpenMpThreadsSpinBrieflyByDefault_data() {
    QTest::addColumn<QByteArray>("variable");
    QTest::addColumn<QByteArray>("value");
    QTest::addColumn<QByteArray>("expected");
    QTest::addRow("default") << QByteArray() << QByteArray() << QByteArray("1000");
    QTest::addRow("a count") << QByteArray("GOMP_SPINCOUNT") << QByteArray("7") << QByteArray("7");
    QTest::addRow("a policy") << QByteArray("OMP_WAIT_POLICY") << QByteArray("active")
                              << QByteArray("unset");
  }

  void idleOpenMpThreadsSpinBrieflyByDefault() {
    QFETCH(QByteArray, variable);
    QFETCH(QByteArray, value);
    QFETCH(QByteArray, expected);
    const QByteArray before = qgetenv("OMP_WAIT_POLICY");
    const auto restore = qScopeGuard([&] {
      qunsetenv("GOMP_SPINCOUNT");
      qputenv("OMP_WAIT_POLICY", before);
    });
    qunsetenv("GOMP_SPINCOUNT");
    qunsetenv("OMP_WAIT_POLICY");
    if (!variable.isEmpty()) qputenv(variable.constData(), value);
    const QTemporaryDir folder;
    const fs::path program = fs::path(folder.path().toStdString()) / "worker";
    std::ofstream(program) << "#!/bin/sh\necho ${GOMP_SPINCOUNT:-unset}\n";
    fs::permissions(program, fs::perms::owner_all);
    PollLoop loop;
    std::string logged;
    auto handlers = ignoringAll();
    handlers.logLine = [&](const std::string& line) { logged = line; };
    handlers.exited = [&](const WorkerExit&) { loop.stop(); };
    WorkerProcess worker(loop, handlers);
    worker.start(program, protocol::Job());
    loop.run();
    QCOMPARE(logged, expected.toStdString());
  }
};

LOCKSTEP_TEST(TstWorkerProcess)
#include "tst_worker_process.moc"
