#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTest>
#include <algorithm>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/events/reader.h"
#include "engine/run_folder/training_state.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;

namespace {

constexpr const char* kDiesAfterThree =
    "state running 0\nscalars 1 2\neval 2 0.5 0.5 best\ncheckpoint 2 best\nscalars 3 3\neval 3 0.4 "
    "0.25\npredictions 3\nkill 9\n";
constexpr const char* kResumes = "state running 2\nscalars 3 6\ncheckpoint 6 last\nfinish 6\n";

}  // namespace

class TstResume : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    dead_.script(kDiesAfterThree);
    QCOMPARE(dead_.run({"train", "experiment.yaml", "--output", "run"}).status, 1);
  }

  void resumesFromTheNewestCheckpointWithoutDuplicates() {
    EngineBench bench;
    copyDeadRun(bench);
    const run_folder::Layout run(bench.folder() / "run");
    fs::create_directories(run.partialCheckpoint(3));  // as kill -9 leaves it
    bench.script(kResumes);
    const auto result = bench.run({"train", "run", "--resume"});
    QVERIFY2(result.status == 0, result.err.c_str());

    const auto info = run_folder::readRunInfo(run);
    QCOMPARE(info.attempt, 2);
    QCOMPARE(info.state.text(), std::string("finished"));
    QVERIFY(!info.error);
    QVERIFY(info.best && info.best->step == 2);
    QVERIFY(!fs::exists(run.partialCheckpoint(3)));
    QVERIFY2(!fs::exists(run.evaluation(3)) && !fs::exists(run.predictions(3)),
             "what was cut from the log is gone");
    QVERIFY(fs::exists(run.evaluation(2)));
    int sessions = 0;
    for (const auto& record : tests::recordsOf(run)) {
      sessions += record.kind == events::Record::Kind::SessionStart;
    }
    QCOMPARE(tests::trainedSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    QCOMPARE(sessions, 1);
    const auto lines = bench.received();
    QVERIFY(std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return contains(line, run.checkpoint(2).string());
    }));
  }

  void everyFailureStaysAmongTheAlerts() {
    EngineBench bench;
    copyDeadRun(bench);
    bench.script("state running 2\nscalars 3 3\nkill 9\n");
    QCOMPARE(bench.run({"train", "run", "--resume"}).status, 1);
    const run_folder::Layout run(bench.folder() / "run");
    run_folder::RunInfo info = run_folder::readRunInfo(run);
    info.state = protocol::RunState::Running;  // as the machine's end leaves it
    info.step = 5;
    info.error.reset();
    run_folder::writeRunInfo(run, info);
    bench.script(kResumes);
    QCOMPARE(bench.run({"train", "run", "--resume"}).status, 0);
    std::vector<protocol::Alert> failures;
    for (const auto& record : tests::recordsOf(run)) {
      if (!contains(record.json, "run_failed")) continue;
      const auto event =
          protocol::decodeEvent(record.json, record.seq, record.step, record.wallTime);
      failures.push_back(std::get<protocol::Alert>(event));
    }
    QCOMPARE(failures.size(), std::size_t{3});
    for (const int attempt : {0, 1}) {
      QVERIFY2(contains(failures[attempt].text, "SIGKILL"), failures[attempt].text.c_str());
      QCOMPARE(failures[attempt].step, std::int64_t{2});
      QCOMPARE(failures[attempt].to, std::int64_t{3});
    }
    QVERIFY2(contains(failures[2].text, "the engine exited unexpectedly"),
             failures[2].text.c_str());
    QCOMPARE(failures[2].to, std::int64_t{5});
  }

  /// The curves are gone, the weights are not.
  void missingStepsOfTheLogAreReported_data() {
    QTest::addColumn<bool>("isEmpty");
    QTest::addColumn<QString>("lacking");
    QTest::newRow("an empty file") << true << "2 of the 2 earlier steps";
    QTest::newRow("a record is damaged") << false << "1 of the 2 earlier steps";
  }
  void missingStepsOfTheLogAreReported() {
    QFETCH(bool, isEmpty);
    QFETCH(QString, lacking);
    EngineBench bench;
    copyDeadRun(bench);
    const fs::path log = events::findEventFile(bench.folder() / "run");
    if (isEmpty) {
      fs::resize_file(log, 0);
    } else {
      std::string bytes = base::readFile(log);
      const std::size_t tag = bytes.find("time/step_seconds");  // of step 1
      QVERIFY(tag != std::string::npos);
      bytes[tag] = 'x';
      std::ofstream(log) << bytes;
      const auto printed = bench.run({"metrics", "run"});
      QCOMPARE(printed.status, 1);
      QVERIFY2(contains(printed.out, "\n2,") && !contains(printed.out, "\n1,"),
               printed.out.c_str());
      QVERIFY2(contains(printed.err, "1 record with a wrong checksum skipped"),
               printed.err.c_str());
    }
    bench.script(kResumes);
    const auto result = bench.run({"train", "run", "--resume"});
    QCOMPARE(result.status, 0);
    QVERIFY2(contains(result.err, "has no metrics for " + lacking.toStdString()),
             result.err.c_str());
  }

  void aDamagedNewestCheckpointFallsBackToTheOneBefore() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\neval 2 0.5 0.5 best\ncheckpoint 2 best\nscalars 3 4\neval 4 "
        "0.4 0.75 best\ncheckpoint 4 best\nscalars 5 5\nkill 9\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 1);
    const run_folder::Layout run(bench.folder() / "run");
    QCOMPARE(run_folder::readRunInfo(run).best->step, std::int64_t{4});
    std::ofstream(run.checkpoint(4) / "optimizer.safetensors") << "5";
    const auto refused = bench.run({"evaluate", "run", "--weights", "4"});
    QVERIFY2(refused.status == 0 || refused.status == 1, "its model is whole");

    bench.script(kResumes);
    const auto result = bench.run({"train", "run", "--resume"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "checkpoint of step 4 is damaged (") &&
                 contains(result.err, "checksum mismatch") &&
                 contains(result.err, "resumes from step 2"),
             result.err.c_str());
    QCOMPARE(bench.lastJob().resumeFrom, run.checkpoint(2).string());
    QVERIFY(fs::exists(run.checkpoints() / "damaged-step-00000004"));
    const auto info = run_folder::readRunInfo(run);
    QVERIFY2(info.best && info.best->step == 2, "the best of what is left");
    QVERIFY(!fs::exists(run.evaluation(4)));
    bool isReported = false;
    for (const auto& record : tests::recordsOf(run)) {
      isReported |= contains(record.json, "is damaged");
    }
    QCOMPARE(tests::trainedSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    QVERIFY(isReported);
  }

  void withoutACompleteCheckpointNothingIsDeleted() {
    EngineBench bench;
    copyDeadRun(bench);
    const run_folder::Layout run(bench.folder() / "run");
    fs::remove(run.checkpoint(2) / "optimizer.safetensors");
    const auto records = tests::recordsOf(run).size();
    const auto result = bench.run({"train", "run", "--resume"});
    QCOMPARE(result.status, 1);
    QVERIFY2(contains(result.err, "every checkpoint is damaged"), result.err.c_str());
    QCOMPARE(tests::recordsOf(run).size(), records);
  }

  /// Killed between the rename of the best checkpoint and run.json: the checkpoint knows better.
  void bestComesFromTheCheckpoint() {
    EngineBench bench;
    copyDeadRun(bench);
    const run_folder::Layout run(bench.folder() / "run");
    run_folder::RunInfo info = run_folder::readRunInfo(run);
    info.best.reset();
    run_folder::writeRunInfo(run, info);
    bench.script(kResumes);
    QCOMPARE(bench.run({"train", "run", "--resume"}).status, 0);
    QVERIFY(run_folder::readRunInfo(run).best->step == 2);
  }

  void aBrokenRunJsonIsRebuilt_data() {
    QTest::addColumn<QString>("content");
    QTest::newRow("empty") << QStringLiteral("");
    QTest::newRow("cut off") << QStringLiteral("{\"name\": \"ben");
    QTest::newRow("of another kind") << QStringLiteral("[1, 2]");
    QTest::newRow("gone") << QString();
  }
  /// As a crash of the machine leaves it; what the checkpoints and the log tell is enough.
  void aBrokenRunJsonIsRebuilt() {
    QFETCH(QString, content);
    EngineBench bench;
    copyDeadRun(bench);
    const run_folder::Layout run(bench.folder() / "run");
    const run_folder::RunInfo whole = run_folder::readRunInfo(run);
    const auto breakIt = [&] {
      fs::remove(run.runJson());
      if (!content.isNull()) std::ofstream(run.runJson()) << content.toStdString();
    };
    breakIt();
    bench.script("state running 2\nscalars 3 5\nkill 9\n");
    QCOMPARE(bench.run({"train", "run", "--resume"}).status, 1);
    QCOMPARE(run_folder::readRunInfo(run).attempt, 2);
    breakIt();
    bench.script(kResumes);
    const auto result = bench.run({"train", "run", "--resume"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QVERIFY2(contains(result.err, "run.json is rebuilt from the event log: attempt 3"),
             result.err.c_str());
    const run_folder::RunInfo info = run_folder::readRunInfo(run);
    QCOMPARE(info.attempt, 3);
    QCOMPARE(info.name, whole.name);
    QCOMPARE(info.state.text(), std::string("finished"));
    QVERIFY(info.best && info.best->step == 2);
    QVERIFY(info.created >= whole.created && info.created < info.finished);
    QCOMPARE(tests::trainedSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
  }

  void changedDataAreReportedAndUsedOnlyWhenAccepted() {
    EngineBench bench;
    bench.script(kDiesAfterThree);
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 1);
    const run_folder::Layout run(bench.folder() / "run");
    const auto train = coco::Dataset::load(bench.folder() / "train.json");
    const auto heldOut = coco::Dataset::load(bench.folder() / "val.json");
    auto state = run_folder::readTrainingState(run.checkpoint(2));
    state.data = run_folder::dataFingerprints(train, &heldOut);
    run_folder::writeTrainingState(run.checkpoint(2), state);

    std::string text = base::readFile(bench.folder() / "train.json");
    text.replace(text.find("[5,5,10,10]"), 11, "[5,5,10,11]");
    base::writeFileAtomically(bench.folder() / "train.json", text);
    const std::string before = base::readFile(run.runJson());
    bench.script(kResumes);
    const auto refused = bench.run({"train", "run", "--resume"});
    QCOMPARE(refused.status, 2);
    QVERIFY2(contains(refused.err, "dataset.train: different annotations, same number") &&
                 contains(refused.err, "--accept-data"),
             refused.err.c_str());
    QCOMPARE(base::readFile(run.runJson()), before);
    const auto accepted = bench.run({"train", "run", "--resume", "--accept-data"});
    QVERIFY2(accepted.status == 0, accepted.err.c_str());
    QVERIFY2(contains(accepted.err, "different annotations, same number (accepted)"),
             accepted.err.c_str());
    bool isReported = false;
    for (const auto& record : tests::recordsOf(run))
      isReported |= contains(record.json, "different annotations, same number");
    QVERIFY(isReported);
    const auto alone = bench.run({"train", "experiment.yaml", "--accept-data"});
    QCOMPARE(alone.status, 2);
    QVERIFY2(contains(alone.err, "--resume"), alone.err.c_str());
  }

  void startsWhenThereIsNoRunYet() {
    EngineBench bench;
    bench.script(kResumes);
    fs::create_directories(bench.folder() / "volume/lost+found");
    const auto result = bench.run({"train", "experiment.yaml", "--output", "volume", "--resume"});
    QVERIFY2(result.status == 0, result.err.c_str());
    QCOMPARE(run_folder::readRunInfo(run_folder::Layout(bench.folder() / "volume")).attempt, 1);
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "fresh", "--resume"}).status, 0);
  }

  void restartsWithoutACheckpoint() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 3\nkill 9\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 1);
    bench.script("state running 0\nscalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run", "--resume"}).status, 0);
    const run_folder::Layout run(bench.folder() / "run");
    std::vector<std::int64_t> steps;
    for (const auto& record : tests::recordsOf(run)) {
      if (record.kind == events::Record::Kind::Scalars) steps.push_back(record.step);
    }
    QCOMPARE(tests::trainedSteps(run), (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    QCOMPARE(run_folder::readRunInfo(run).attempt, 2);
  }

  void otherKeysAreRefusedWithAList() {
    EngineBench bench;
    bench.script(kDiesAfterThree);
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 1);
    const std::string before = base::readFile(bench.folder() / "run/config.yaml");
    const auto refused =
        bench.run({"train", "experiment.yaml", "--output", "run", "--resume", "--set",
                   "solver.base_lr=0.5", "--set", "augment.horizontal_flip=0"});
    QCOMPARE(refused.status, 2);
    QVERIFY2(contains(refused.err, "solver.base_lr: 0.02 -> 0.5"), refused.err.c_str());
    QVERIFY(contains(refused.err, "augment.horizontal_flip"));
    QCOMPARE(base::readFile(bench.folder() / "run/config.yaml"), before);
    bench.script("finish 8\n");
    const auto allowed = bench.run(
        {"train", "experiment.yaml", "--output", "run", "--resume", "--set", "solver.max_steps=8",
         "--set", "checkpoint.keep=5", "--set", "monitor.log_every=1", "--set",
         "evaluation.loss_every=2", "--set", "runtime.stall_seconds=100"});
    QVERIFY2(allowed.status == 0, allowed.err.c_str());
    QCOMPARE(run_folder::readRunInfo(run_folder::Layout(bench.folder() / "run")).maxSteps,
             std::int64_t{8});
  }

  void finishedRunIsUnchanged() {
    EngineBench bench;
    bench.script("scalars 1 6\ncheckpoint 6 last\nfinish 6\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 0);
    const auto records = tests::recordsOf(run_folder::Layout(bench.folder() / "run")).size();
    const auto again = bench.run({"train", "experiment.yaml", "--output", "run", "--resume"});
    QCOMPARE(again.status, 0);
    QVERIFY(contains(again.err, "solver.max_steps"));
    QCOMPARE(tests::recordsOf(run_folder::Layout(bench.folder() / "run")).size(), records);
  }

  void activeRunIsRefusedNamingItsProcess() {
    EngineBench bench;
    bench.script("state running 0\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--output", "runs/one"});
    QVERIFY(bench.waitForState("running"));
    const auto second = bench.run({"train", "experiment.yaml", "--output", "runs/one", "--resume"});
    QCOMPARE(second.status, 2);
    QVERIFY2(contains(second.err, "process " + std::to_string(engine->processId())),
             second.err.c_str());
    engine->kill();
    engine->waitForFinished();
  }

  void aPipeInThePlaceOfAFileIsRefused_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"run.json", "config.yaml", "engine.log", "rank-0.log",
                             "bad_images.jsonl", "notes.json", "events.out.tfevents.1", "run.lock"})
      QTest::newRow(name) << QString::fromLatin1(name);
  }
  void aPipeInThePlaceOfAFileIsRefused() {
    QFETCH(QString, name);
    EngineBench bench;
    copyDeadRun(bench);
    const fs::path file = bench.folder() / "run" / name.toStdString();
    fs::remove(file);
    QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
    bench.script(kResumes);
    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"train", "run", "--resume"},
          {"train", "experiment.yaml", "--output", "run", "--resume"}}) {
      const auto result = bench.run(line);
      QCOMPARE(result.status, 2);
      QVERIFY2(contains(result.err,
                        name.toStdString() + ": is a pipe; expected a regular file; move it away"),
               result.err.c_str());
    }
    QVERIFY(!bench.hasJob());
  }

  void filesOfAKilledProcessAreRemoved() {
    EngineBench bench;
    copyDeadRun(bench);
    const pid_t dead = ::fork();
    if (dead == 0) ::_exit(0);
    QCOMPARE(::waitpid(dead, nullptr, 0), dead);
    const run_folder::Layout run(bench.folder() / "run");
    const std::string name = ".lockstep-" + std::to_string(dead) + "-3.tmp";
    const std::vector<fs::path> left{run.folder() / name, run.checkpoints() / name,
                                     run.evaluation(0).parent_path() / name};
    for (const fs::path& file : left) std::ofstream(file) << "half";
    bench.script(kResumes);
    QCOMPARE(bench.run({"train", "run", "--resume"}).status, 0);
    for (const fs::path& file : left) QVERIFY2(!fs::exists(file), file.c_str());
  }

  void folderWithOtherFilesIsRefused() {
    EngineBench bench;
    fs::create_directories(bench.folder() / "photos");
    std::ofstream(bench.folder() / "photos/holiday.jpg") << "x";
    const auto result = bench.run({"train", "experiment.yaml", "--output", "photos", "--resume"});
    QCOMPARE(result.status, 2);
    QVERIFY2(contains(result.err, "photos"), result.err.c_str());
    QVERIFY(!fs::exists(bench.folder() / "photos/checkpoints"));
  }

 private:
  void copyDeadRun(const EngineBench& bench) const {
    fs::copy(dead_.folder() / "run", bench.folder() / "run", fs::copy_options::recursive);
  }

  EngineBench dead_;  ///< its run died after step 3; copies read its data
};

LOCKSTEP_TEST(TstResume)
#include "tst_resume.moc"
