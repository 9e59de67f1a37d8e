#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <QTest>

#include "engine/base/atomic_file.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

class TstDetach : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parentPrintsTheFolderAndTheRunContinues() {
    EngineBench bench;
    bench.script("state running 0\ntrain-until-stop 1\n");
    const auto result = bench.run({"train", "experiment.yaml", "--detach", "--set",
                                   "solver.max_steps=1000000", "--set", "monitor.log_every=1"});
    QVERIFY2(result.status == 0, result.err.c_str());
    const auto layout = bench.onlyRun();
    QCOMPARE(result.out, layout.folder().string() + "\n");
    const auto info = run_folder::readRunInfo(layout);
    QVERIFY2(tests::isAlive(static_cast<int>(info.pid)),
             "run.json names the process that lives on");
    QCOMPARE(::getsid(static_cast<pid_t>(info.pid)), static_cast<pid_t>(info.pid));
    tests::SocketClient client(info.socket);
    client.send(protocol::Hello{});
    client.expect<protocol::Scalars>();
    client.send(protocol::Command{"s", protocol::CommandName::Stop});
    client.rest();
    QTRY_VERIFY_WITH_TIMEOUT(!run_folder::RunLock::isHeld(layout), 10000);
    QCOMPARE(run_folder::readRunInfo(layout).state.text(), std::string("stopped"));
    const std::string log = base::readFile(layout.engineLog());
    QVERIFY2(contains(log, "max_steps=1000000"), "its streams are in engine.log");
    QVERIFY2(log.find("stopped at step") == log.rfind("stopped at step"), "and each line once");
    QVERIFY2(contains(log, "state: stopped"), "the results, too");
  }

  void errorBeforeTheForkIsPrintedWithItsStatus() {
    EngineBench bench;
    const auto wrongKey =
        bench.run({"train", "experiment.yaml", "--detach", "--set", "solver.optimiser=sgd"});
    QCOMPARE(wrongKey.status, 2);
    QVERIFY2(contains(wrongKey.err, "solver.optimizer"), wrongKey.err.c_str());
    QVERIFY(wrongKey.out.empty());
    bench.removeWorker();
    const auto failed = bench.run({"train", "experiment.yaml", "--detach"});
    QCOMPARE(failed.status, 1);
    QVERIFY(contains(failed.err, "lockstep-worker"));
  }

  void errorInTheChildIsPrintedByTheParent() {
    EngineBench bench;
    bench.script("finish 6\n");
    // The place of a rank's log is taken by a folder, which only shows once the run is on its own.
    const fs::path log = bench.folder() / "one/rank-0.log";
    fs::create_directories(log);
    const auto result =
        bench.run({"train", "experiment.yaml", "--detach", "--output", "one", "--resume"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, log.string()), result.err.c_str());
  }

  void inheritedDescriptorsAreClosed() {
    EngineBench bench;
    bench.script("state running 0\ntrain-until-stop 1\n");
    const fs::path lockFile = bench.folder() / "callers.lock";
    // A shell script's lock on a descriptor without close-on-exec.
    const int fd = ::open(lockFile.c_str(), O_RDWR | O_CREAT, 0600);
    QCOMPARE(::flock(fd, LOCK_EX), 0);
    QCOMPARE(bench.run({"train", "experiment.yaml", "--detach"}).status, 0);
    ::close(fd);
    const int again = ::open(lockFile.c_str(), O_RDWR | O_CLOEXEC);
    QVERIFY2(::flock(again, LOCK_EX | LOCK_NB) == 0, "the run does not hold it");
    ::close(again);
    ::kill(static_cast<pid_t>(run_folder::readRunInfo(bench.onlyRun()).pid), SIGTERM);
    QTRY_VERIFY_WITH_TIMEOUT(!run_folder::RunLock::isHeld(bench.onlyRun()), 10000);
  }
};

LOCKSTEP_TEST(TstDetach)
#include "tst_detach.moc"
