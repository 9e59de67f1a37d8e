#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using Json = nlohmann::json;
using tests::Session;
namespace fs = std::filesystem;

namespace {

/// Lets a stop come in at the first step.
void stopAtOnce(Session& session) {
  session.observer.afterSteps = [&] { session.mailbox.post(tests::control("stop", "s")); };
}

}  // namespace

/// What happens between two steps without being asked for.
class TstBoundary : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    tests::writeShapes(path("shapes"));
  }

  void heldOutSplitMayHaveFewerCategories() {
    // The same annotations; one file names a category that none of them has.
    Json all = readJson(path("shapes/annotations/instances_val.json"));
    auto& annotations = all["annotations"];
    annotations.erase(std::remove_if(annotations.begin(), annotations.end(),
                                     [](const Json& a) { return a["category_id"] == 2; }),
                      annotations.end());
    QVERIFY(std::ranges::any_of(annotations, [](const Json& a) { return a["category_id"] > 2; }));
    Json fewer = all;
    auto& categories = fewer["categories"];
    categories.erase(std::remove_if(categories.begin(), categories.end(),
                                    [](const Json& c) { return c["id"] == 2; }),
                     categories.end());
    QCOMPARE(categories.size(), all["categories"].size() - 1);

    Json evaluations[2], predictions[2];
    for (int i = 0; i < 2; ++i) {
      const std::string file = path("val" + std::to_string(i) + ".json");
      base::writeFileAtomically(file, (i == 0 ? all : fewer).dump());
      config::Experiment experiment = smallExperiment(1);
      experiment.dataset.val.annotations = file;
      experiment.model.boxHead.scoreThreshold = 0;  // detections of every class
      Session session(experiment, path("categories" + std::to_string(i)));
      session.trainer.run();
      evaluations[i] = readJson(session.layout.evaluation(1));
      predictions[i] = readJson(session.layout.predictions(1));
    }
    for (const char* figures : {"losses", "per_image", "bbox", "segm"})
      QVERIFY2(evaluations[0][figures] == evaluations[1][figures], figures);
    QCOMPARE(evaluations[1]["classes"].size(), fewer["categories"].size());
    QVERIFY(predictions[0] == predictions[1]);
    QVERIFY(std::ranges::any_of(predictions[1]["detections"],
                                [](const Json& d) { return d["category_id"] == 4; }));
  }

  void aRunNeedsNoHeldOutSplit() {
    config::Experiment experiment = smallExperiment(1);
    experiment.dataset.val = {};
    Session session(experiment, path("no_val"));
    QCOMPARE(session.trainer.run().step, std::int64_t{1});
    QCOMPARE(run_folder::checkpointSteps(session.layout), std::vector<std::int64_t>{1});
    QVERIFY(session.observer.evaluations.empty() && session.observer.predictions.empty());
  }

  void objectsOverMaxDetsAreWarnedAboutOnce() {
    Json crowded = readJson(path("shapes/annotations/instances_val.json"));
    const Json object = crowded["annotations"][0];
    for (int i = 0; i < 101; ++i) {
      Json another = object;
      another["id"] = 1000 + i;
      crowded["annotations"].push_back(std::move(another));
    }
    const std::string file = path("crowded.json");
    base::writeFileAtomically(file, crowded.dump());
    config::Experiment experiment = smallExperiment(2);
    experiment.dataset.val.annotations = file;
    experiment.evaluation.apEvery = {1};
    Session session(experiment, path("crowded"));
    session.trainer.run();
    QCOMPARE(session.observer.evaluations.size(), std::size_t{2});
    std::vector<std::string> said;
    for (const protocol::Log& log : session.observer.logs)
      if (log.level == base::LogLevel::Warning) said.push_back(log.text);
    QCOMPARE(said.size(), std::size_t{1});
    QVERIFY2(said[0].find("1 image has more objects of a class, 5 of which") != std::string::npos,
             said[0].c_str());
  }

  void fullDiskIsReportedAndTrainingContinues() {
    config::Experiment experiment = smallExperiment(2);
    experiment.evaluation.lossEvery = {1};
    experiment.evaluation.bestMetric = "loss_total";
    experiment.monitor.predictionsEvery = {1};
    Session session(experiment, path("full"));
    std::optional<tests::FullDisk> disk(100);
    session.observer.afterSteps = [&] {
      if (session.observer.steps.back().step == 2) disk.reset();
    };
    QCOMPARE(session.trainer.run().step, std::int64_t(2));
    std::vector<std::string> lost;
    for (const protocol::Log& log : session.observer.logs) {
      if (log.level == base::LogLevel::Error)
        lost.push_back(log.text.substr(0, log.text.find(" could not")));
    }
    QCOMPARE(lost, (std::vector<std::string>{"evaluation of step 1", "predictions of step 1"}));
    QCOMPARE(session.observer.timesTold(1, "eval/loss_total"), 1);
    QCOMPARE(session.observer.evaluations.size(), std::size_t(1));
    QVERIFY2(session.observer.evaluations[0].bestValue, "what is not there is not the best");
    QCOMPARE(session.observer.predictions, std::vector<std::int64_t>{2});
    QVERIFY(fs::exists(session.layout.checkpoint(2) / "state.json"));
  }

  void aFullDiskAtTheEndLosesTheLastCheckpoint() {
    Session session(smallExperiment(1), path("full to the end"));
    {
      const tests::FullDisk disk(100);
      QCOMPARE(session.trainer.run().step, std::int64_t(1));
    }
    QCOMPARE(session.observer.checkpoints.size(), std::size_t(1));
    QVERIFY(session.observer.checkpoints[0].last && !session.observer.checkpoints[0].error.empty());
    QVERIFY(session.observer.evaluations.empty() && session.observer.predictions.empty());
    QVERIFY(fs::is_empty(session.layout.checkpoints()));
  }

  void aBestWithoutACheckpointDoesNotStayTheBest() {
    config::Experiment experiment = smallExperiment(2);
    experiment.solver.baseLr = 0;  // so that step 2 is as good, not better
    experiment.evaluation.lossEvery = {1};
    experiment.evaluation.bestMetric = "loss_total";
    Session session(experiment, path("lost best"));
    std::optional<tests::FullDisk> disk(200'000);  // holds an evaluation
    session.observer.afterSteps = [&] {
      if (session.observer.steps.back().step == 2) disk.reset();
    };
    session.trainer.run();
    const auto& checkpoints = session.observer.checkpoints;
    QCOMPARE(checkpoints.size(), std::size_t(2));
    QVERIFY(checkpoints[0].best && !checkpoints[0].error.empty());
    QVERIFY(checkpoints[1].best && checkpoints[1].error.empty());
    const auto state = run_folder::readTrainingState(session.layout.checkpoint(2));
    QVERIFY(state.best && state.best->step == 2);
  }

  void aRunStoppedAtItsLastStepIsEvaluatedWhenItResumes_data() {
    QTest::addColumn<int>("lossEvery");
    QTest::newRow("not evaluated yet") << 0;
    QTest::newRow("losses alone") << 1;
  }
  void aRunStoppedAtItsLastStepIsEvaluatedWhenItResumes() {
    QFETCH(int, lossEvery);
    config::Experiment experiment = smallExperiment(50);
    experiment.monitor.logEvery = {1};
    experiment.evaluation.lossEvery = {double(lossEvery)};
    experiment.evaluation.bestMetric = "bbox/AP";
    const std::string folder = path("stopped" + std::to_string(lossEvery));
    {
      Session session(experiment, folder);
      stopAtOnce(session);
      const auto outcome = session.trainer.run();
      QVERIFY(outcome.stopped && outcome.step == 1);
      QVERIFY(fs::exists(session.layout.checkpoint(1) / "state.json"));
      QCOMPARE(session.observer.answers.front().id, std::string("s"));
      QVERIFY(!fs::exists(session.layout.predictions(1)));
    }
    experiment.solver.maxSteps = {1};
    Session resumed(experiment, folder);
    resumed.trainer.resume(resumed.layout.checkpoint(1));
    const auto outcome = resumed.trainer.run();
    QVERIFY(!outcome.stopped && outcome.step == 1);

    Session whole(experiment, folder + "-whole");
    whole.trainer.run();
    for (const auto file : {&run_folder::Layout::evaluation, &run_folder::Layout::predictions}) {
      QCOMPARE(base::readFile((resumed.layout.*file)(1)), base::readFile((whole.layout.*file)(1)));
    }
    QCOMPARE(resumed.observer.timesTold(1, "eval/loss_total"), lossEvery == 1 ? 0 : 1);
    QCOMPARE(resumed.observer.timesTold(1, "eval/bbox/AP"), 1);
    QCOMPARE(resumed.observer.checkpoints.size(), resumed.observer.evaluations.size());
    QVERIFY2(resumed.observer.checkpoints[0].best, "the only evaluation is the best");

    Session again(experiment, folder);
    again.trainer.resume(again.layout.checkpoint(1));
    QCOMPARE(again.trainer.run().step, std::int64_t(1));
    QVERIFY2(again.observer.steps.empty() && again.observer.states.empty(), "all is done");
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }
  static Json readJson(const fs::path& file) { return Json::parse(base::readFile(file)); }
  config::Experiment smallExperiment(int steps) const {
    return tests::smallExperiment(path("shapes"), steps);
  }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstBoundary)
#include "tst_boundary.moc"
