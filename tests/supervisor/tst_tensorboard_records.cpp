#include <QTemporaryDir>
#include <QTest>
#include <fstream>

#include "engine/base/atomic_file.h"
#include "engine/events/reader.h"
#include "engine/events/tags.h"
#include "engine/run_folder/training_state.h"
#include "engine/supervisor/run_recorder.h"
#include "tests/support/contains.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using supervisor::RunRecorder;
using tests::contains;
using tests::EngineBench;
namespace fs = std::filesystem;
namespace tags = events::tags;

namespace {

/// How often a text stands in the event log.
int countInLog(const fs::path& run, const std::string& text) {
  const std::string bytes = base::readFile(events::findEventFile(run));
  int count = 0;
  for (std::size_t at = bytes.find(text); at != std::string::npos; at = bytes.find(text, at + 1))
    ++count;
  return count;
}

/// A log has the hyper-parameters and the end of the run as often as this.
void verifySessions(const fs::path& run, int starts, int ends) {
  QCOMPARE(countInLog(run, tags::kHyperParameterNames), starts);
  QCOMPARE(countInLog(run, tags::kHyperParameterValues), starts);
  QCOMPARE(countInLog(run, tags::kHyperParameterEnd), ends);
}

/// Pictures of two images, as the worker leaves them.
protocol::PicturesReady writePictures(const run_folder::Layout& layout, std::int64_t step) {
  const fs::path folder = layout.partialPictures(step);
  fs::create_directories(folder);
  protocol::PicturesReady ready{step, folder.string(), {}};
  for (const std::int64_t id : {3, 9}) {
    const std::string name = std::to_string(id) + ".png";
    std::ofstream(folder / name) << "picture " << id << " of step " << step;
    ready.pictures.push_back({id, name, 4, 3});
  }
  return ready;
}

void commitPredictions(RunRecorder& recorder, std::int64_t step) {
  std::ofstream(recorder.layout().partialPredictions(step)) << "{}";
  recorder.commit(
      protocol::PredictionsReady{step, recorder.layout().partialPredictions(step).string()});
}

/// That pictures could not be logged.
std::vector<std::string> warningsIn(const RunRecorder& recorder) {
  std::vector<std::string> warnings;
  for (const auto& record : events::Reader(recorder.eventLog().path()).readAvailable()) {
    if (contains(record.json, "pictures of the predictions")) warnings.push_back(record.json);
  }
  return warnings;
}

}  // namespace

/// What the event log has for TensorBoard alone.
class TstTensorboardRecords : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void picturesGoIntoTheLogAndTheirFilesGo() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    RunRecorder recorder(layout, {}, {}, std::nullopt, {});
    commitPredictions(recorder, 4);
    recorder.commit(writePictures(layout, 4));
    QVERIFY(!fs::exists(layout.partialPictures(4)));
    QCOMPARE(countInLog(layout.folder(), tags::evalPredictions(3)), 1);
    QCOMPARE(countInLog(layout.folder(), "picture 9 of step 4"), 1);
    QVERIFY(warningsIn(recorder).empty());
    const auto records = events::Reader(recorder.eventLog().path()).readAvailable();
    QCOMPARE(records.back().step, std::int64_t{4});
    QCOMPARE(records.back().kind, events::Record::Kind::Other);
    QCOMPARE(recorder.eventLog().newestSeq(), records.back().seq);
  }

  /// A resume makes these predictions again, and their pictures with them.
  void picturesWithoutTheirPredictionsAreLeftOut() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    RunRecorder recorder(layout, {}, {}, std::nullopt, {});
    recorder.commit(writePictures(layout, 4));
    QCOMPARE(countInLog(layout.folder(), tags::evalPredictions(3)), 0);
    QVERIFY(!fs::exists(layout.partialPictures(4)));
  }

  void picturesThatCannotBeLoggedAreOneWarning() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    RunRecorder recorder(layout, {}, {}, std::nullopt, {});
    for (const std::int64_t step : {2, 4}) {
      commitPredictions(recorder, step);
      const protocol::PicturesReady ready = writePictures(layout, step);
      fs::remove(layout.partialPictures(step) / "3.png");
      recorder.commit(ready);
      QVERIFY(!fs::exists(layout.partialPictures(step)));
    }
    const auto warnings = warningsIn(recorder);
    QCOMPARE(warnings.size(), std::size_t{2});  // and its alert
    QVERIFY2(contains(warnings[0], "pictures of the predictions of step 2 could not be logged") &&
                 contains(warnings[0], "training continues"),
             warnings[0].c_str());
  }

  /// They are not kept in memory; what is, is written when the disk takes it.
  void picturesAreLostWhileTheDiskIsFull() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    RunRecorder recorder(layout, {}, {}, std::nullopt, {});
    commitPredictions(recorder, 4);
    const protocol::PicturesReady ready = writePictures(layout, 4);
    {
      const tests::FullDisk full(fs::file_size(recorder.eventLog().path()));
      recorder.commit(ready);
    }
    recorder.refresh();
    QCOMPARE(countInLog(layout.folder(), tags::evalPredictions(3)), 0);
    QCOMPARE(warningsIn(recorder).size(), std::size_t{2});  // and its alert
    commitPredictions(recorder, 6);
    recorder.commit(writePictures(layout, 6));
    QCOMPARE(countInLog(layout.folder(), tags::evalPredictions(3)), 1);
  }

  void hyperParametersAreWrittenOnce() {
    const QTemporaryDir folder;
    const auto layout = run_folder::prepareRunFolder(folder.path().toStdString());
    {
      RunRecorder recorder(layout, {}, {}, std::nullopt, {});
      recorder.recordHyperParameters({});
      recorder.recordHyperParameters({});
      recorder.recordScalars({0, 1, 1, {{"train/loss_total", 1.0f}}});
      recorder.setState(protocol::RunState::Stopped);
      recorder.finish();
    }
    verifySessions(layout.folder(), 1, 1);
    const auto summary = supervisor::summariseEventLog(events::findEventFile(layout.folder()));
    QVERIFY(summary.hasHyperParameters);
    QCOMPARE(summary.newestStep, std::int64_t{1});  // that of the end is none of the run's
    QCOMPARE(run_folder::rebuildRunInfo(layout)->step, std::int64_t{1});
    run_folder::ResumePoint point;
    point.step = 1;
    run_folder::RunInfo info;
    info.step = 1;
    RunRecorder resumed(layout, info, {}, point, {});
    resumed.recordHyperParameters({});
    verifySessions(layout.folder(), 1, 0);  // the end was not the end
  }

  void aRunHasOneStartAndItsLastEnd() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\npredictions 2\npictures 2\ncheckpoint 2\nscalars 3 4\n"
        "predictions 4\npictures 4\nkill 9\n");
    QCOMPARE(bench.run({"train", "experiment.yaml", "--output", "run"}).status, 1);
    const fs::path run = bench.folder() / "run";
    verifySessions(run, 1, 1);
    QCOMPARE(countInLog(run, "a picture of step 4"), 1);
    bench.script(
        "state running 2\nscalars 3 4\npredictions 4\npictures 4\nscalars 5 6\ncheckpoint 6 last\n"
        "finish 6\n");
    const auto resumed = bench.run({"train", "run", "--resume"});
    QVERIFY2(resumed.status == 0, resumed.err.c_str());
    verifySessions(run, 1, 1);
    for (const char* picture : {"a picture of step 2", "a picture of step 4"})
      QCOMPARE(countInLog(run, picture), 1);
    const auto records = tests::recordsOf(run_folder::Layout(run));
    QCOMPARE(records.back().kind, events::Record::Kind::HyperParameters);
    QCOMPARE(records.back().step, std::int64_t{7});
    QCOMPARE(tests::trainedSteps(run_folder::Layout(run)),
             (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    const auto printed = bench.run({"metrics", "run"});
    QCOMPARE(printed.status, 0);
    QVERIFY2(!contains(printed.out, "_hparams_") && !contains(printed.out, "predictions") &&
                 printed.err.empty(),
             printed.err.c_str());
  }

  void aRestartKeepsTheStart() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\nkill 9\nagain\nstate running 0\nscalars 1 6\n"
        "checkpoint 6 last\nfinish 6\n");
    const auto result = bench.run(
        {"train", "experiment.yaml", "--output", "run", "--set", "runtime.max_restarts=1"});
    QVERIFY2(result.status == 0, result.err.c_str());
    verifySessions(bench.folder() / "run", 1, 1);
  }

  void aKilledSupervisorLeavesTheSessionRunning() {
    EngineBench bench;
    bench.script("state running 0\nscalars 1 2\nhang\n");
    const auto engine = bench.start({"train", "experiment.yaml", "--output", "runs/one"});
    QVERIFY(bench.waitForState("running"));
    engine->kill();
    engine->waitForFinished();
    verifySessions(bench.folder() / "runs/one", 1, 0);
  }

  void aForkHasItsOwnHyperParameters() {
    EngineBench bench;
    bench.script(
        "state running 0\nscalars 1 2\npredictions 2\npictures 2\ncheckpoint 2\nscalars 3 6\n"
        "checkpoint 6 last\nfinish 6\n");
    QCOMPARE(bench
                 .run({"train", "experiment.yaml", "--output", "run", "--set",
                       "solver.optimizer=sgd", "--set", "checkpoint.keep=5"})
                 .status,
             0);
    bench.script("state running 2\nscalars 3 6\ncheckpoint 6 last\nfinish 6\n");
    const auto forked = bench.run(
        {"train", "run", "--from", "2", "--output", "fork", "--set", "solver.optimizer=adamw"});
    QVERIFY2(forked.status == 0, forked.err.c_str());
    const fs::path fork = bench.folder() / "fork";
    verifySessions(fork, 1, 1);
    QCOMPARE(countInLog(fork, "a picture of step 2"), 1);
    QCOMPARE(tests::trainedSteps(run_folder::Layout(fork)),
             (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6}));
    // The value follows its key in the record, after two field numbers and lengths.
    const std::string bytes = base::readFile(events::findEventFile(fork));
    const std::size_t start = bytes.find(tags::kHyperParameterValues);
    const std::size_t key = bytes.find("solver.optimizer", start);
    QCOMPARE(bytes.substr(key + 20, 5), std::string("adamw"));
  }
};

LOCKSTEP_TEST(TstTensorboardRecords)
#include "tst_tensorboard_records.moc"
