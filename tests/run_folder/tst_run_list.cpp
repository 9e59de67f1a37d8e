#include <sys/stat.h>

#include <QTemporaryDir>
#include <QTest>

#include "tests/run_folder/other_process.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep::run_folder;
using namespace lockstep::tests;

class TstRunList : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void init() {
    parent_ = std::make_unique<QTemporaryDir>();
    root_ = parent_->path().toStdString();
  }
  void runsAreListedNewestFirst();
  void otherFoldersAreIgnored();
  void aLiveRunIsAlive();
  void anUnexpectedExitIsAFailedRun();
  void endedRunsKeepTheirState();
  void aQueuedRunHasNotFailed();
  void aQueuedRunWithoutAProcessStaysQueuedWithAReason();
  void theBestOfAForkIsItsOwn();
  void aCorruptRunJsonIsListedAsFailed();
  void aStartingRunIsListedAsStarting();
  void aMissingParentHasNoRuns();
  void eventFilesAreNotRead();
  void theRunsFolderComesFromTheEnvironment();

 private:
  Layout makeRun(const std::string& name, const RunInfo& info) const {
    const Layout layout(root_ / name);
    fs::create_directories(layout.folder());
    writeRunInfo(layout, info);
    return layout;
  }
  RunInfo infoWith(const std::string& state, double created = 1000) const {
    RunInfo info = sampleInfo();
    info.state = lockstep::base::OpenEnum<lockstep::protocol::RunState>(state);
    info.created = created;
    return info;
  }

  std::unique_ptr<QTemporaryDir> parent_;
  fs::path root_;
};

void TstRunList::runsAreListedNewestFirst() {
  makeRun("old", infoWith("finished", 1000));
  makeRun("new", infoWith("finished", 3000));
  makeRun("b", infoWith("stopped", 2000));
  makeRun("a", infoWith("stopped", 2000));
  std::vector<std::string> names;
  for (const RunSummary& run : listRuns(root_)) names.push_back(run.folder.filename().string());
  QCOMPARE(names, (std::vector<std::string>{"new", "b", "a", "old"}));
}

void TstRunList::otherFoldersAreIgnored() {
  makeRun("run", infoWith("finished"));
  fs::create_directories(root_ / "empty");
  writeText(root_ / "file.txt", "");
  writeText(root_ / "deep/run/run.json", "{}");
  QCOMPARE(listRuns(root_).size(), 1u);
}

void TstRunList::aLiveRunIsAlive() {
  const Layout layout = makeRun("run", infoWith("paused"));
  const OtherProcess supervisor([&] { return RunLock::tryAcquire(layout); });
  const auto runs = listRuns(root_);
  QCOMPARE(runs.size(), 1u);
  QVERIFY(runs[0].alive);
  QCOMPARE(runs[0].info.state.text(), std::string("paused"));
  QVERIFY(!runs[0].info.error);
}

void TstRunList::anUnexpectedExitIsAFailedRun() {
  for (const char* state : {"starting", "running", "evaluating", "paused", "stopping"}) {
    const Layout layout = makeRun("run", infoWith(state));
    OtherProcess supervisor([&] { return RunLock::tryAcquire(layout); });
    supervisor.kill();
    const RunSummary run = summarise(layout.folder());
    QVERIFY(!run.alive);
    QCOMPARE(run.info.state.text(), std::string("failed"));
    QVERIFY(run.info.error);
    QCOMPARE(run.info.error->step, 412);
    QCOMPARE(run.info.error->message,
             "the engine exited unexpectedly while the run was " + std::string(state) +
                 " (process 4711 on node7 no longer holds the run's lock)");
  }
}

void TstRunList::endedRunsKeepTheirState() {
  for (const char* state : {"stopped", "finished", "failed"}) {
    const RunSummary run = summarise(makeRun("run", infoWith(state)).folder());
    QCOMPARE(run.info.state.text(), std::string(state));
    QVERIFY(!run.info.error);
    QVERIFY(!run.alive);
  }
}

void TstRunList::aQueuedRunHasNotFailed() {
  QCOMPARE(summarise(makeRun("run", infoWith("queued")).folder()).info.state.text(),
           std::string("queued"));
}

void TstRunList::aQueuedRunWithoutAProcessStaysQueuedWithAReason() {
  RunInfo info = infoWith("queued");
  info.queuePosition = 3;
  const Layout layout = makeRun("run", info);
  OtherProcess waiter([&] { return RunLock::tryAcquire(layout); });
  QVERIFY(summarise(layout.folder()).alive);
  QVERIFY(!summarise(layout.folder()).info.error);
  waiter.kill();
  const RunSummary run = summarise(layout.folder());
  QVERIFY(!run.alive);
  QCOMPARE(run.info.state.text(), std::string("queued"));
  QCOMPARE(run.info.queuePosition.value_or(0), 3);
  QVERIFY(run.info.error);
  QCOMPARE(run.info.error->message,
           std::string("its waiting process is gone; `lockstep-engine runs --start-queued` queues "
                       "it again"));
  QVERIFY2(!readRunInfo(layout).error, "run.json is the supervisor's");
}

/// Earlier versions copied that of the run it is a fork of.
void TstRunList::theBestOfAForkIsItsOwn() {
  RunInfo info = infoWith("finished");
  info.forkedFrom = {"/runs/first", 200};
  info.best = Best{"segm/AP", 0.5, 200};
  QVERIFY(!summarise(makeRun("copied", info).folder()).info.best);
  info.best->step = 201;
  QVERIFY(summarise(makeRun("own", info).folder()).info.best == info.best);
}

void TstRunList::aCorruptRunJsonIsListedAsFailed() {
  writeText(root_ / "broken/run.json", "{\"name\": \"a\", ");
  const auto runs = listRuns(root_);
  QCOMPARE(runs.size(), 1u);
  QCOMPARE(runs[0].info.state.text(), std::string("failed"));
  QCOMPARE(runs[0].info.name, std::string("broken"));
  QVERIFY(runs[0].info.created > 1.6e9);
  QVERIFY(runs[0].info.error->message.find("run.json: invalid JSON") != std::string::npos);
}

void TstRunList::aStartingRunIsListedAsStarting() {
  const Layout layout(root_ / "young");
  writeText(layout.config(), "name: a\n");
  writeText(layout.folder() / "events.out.tfevents.1", "");
  const OtherProcess supervisor([&] { return RunLock::tryAcquire(layout); });
  const auto runs = listRuns(root_);
  QCOMPARE(runs.size(), 1u);
  QCOMPARE(runs[0].info.state.text(), std::string("starting"));
  QVERIFY(runs[0].alive);
}

void TstRunList::aMissingParentHasNoRuns() { QVERIFY(listRuns(root_ / "no").empty()); }

/// A fifo in place of the event file would block whoever opened it.
void TstRunList::eventFilesAreNotRead() {
  const Layout layout = makeRun("run", infoWith("finished"));
  const std::string fifo = (layout.folder() / "events.out.tfevents.1").string();
  QCOMPARE(::mkfifo(fifo.c_str(), 0600), 0);
  QCOMPARE(listRuns(root_).size(), 1u);
}

void TstRunList::theRunsFolderComesFromTheEnvironment() {
  const QByteArray before = qgetenv("LOCKSTEP_RUNS");
  qputenv("LOCKSTEP_RUNS", "/data/runs");
  QCOMPARE(runsFolder(), fs::path("/data/runs"));
  qputenv("LOCKSTEP_RUNS", "");
  QCOMPARE(runsFolder(), fs::path("runs"));
  qunsetenv("LOCKSTEP_RUNS");
  QCOMPARE(runsFolder(), fs::path("runs"));
  if (!before.isEmpty()) qputenv("LOCKSTEP_RUNS", before);
}

LOCKSTEP_TEST(TstRunList)
#include "tst_run_list.moc"
