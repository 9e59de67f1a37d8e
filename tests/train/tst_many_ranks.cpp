// Training on several ranks: what they do together is what one rank would do alone.
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/host.h"
#include "engine/checkpoint/safetensors.h"
#include "engine/run_folder/replay_file.h"
#include "engine/run_folder/training_state.h"
#include "engine/train/failure.h"
#include "tests/dist/ranks.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"
#include "tests/train/small_training.h"

using namespace lockstep;
using tests::onRanks;
using tests::relativeDifference;
using tests::require;
using tests::Session;
namespace fs = std::filesystem;

namespace {

constexpr const char* kComparedTags[] = {
    "train/loss_classifier",  "train/loss_box_reg", "train/loss_mask", "train/loss_objectness",
    "train/loss_rpn_box_reg", "train/loss_total",   "solver/grad_norm"};

}  // namespace

class TstManyRanks : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    tests::writeShapes(path("shapes"));
  }
  void cleanup() { tests::removeRuns(path("")); }

  void ranksEqualAccumulatedMicroBatches_data() {
    QTest::addColumn<int>("ranks");
    QTest::addColumn<int>("parts");
    QTest::newRow("2 ranks") << 2 << 1;
    QTest::newRow("3 ranks") << 3 << 1;
    QTest::newRow("2 ranks of 2 parts") << 2 << 2;
  }
  /// The same images in the same parts: losses and gradient norm of every step within 1e-5,
  /// statistics of tensors as closely as sums of several ranks round, and weights that are the same
  /// on every rank.
  void ranksEqualAccumulatedMicroBatches() {
    QFETCH(int, ranks);
    QFETCH(int, parts);
    config::Experiment experiment = smallExperiment(3);
    experiment.monitor.tensorStatsEvery = config::Duration{1};
    experiment.solver.batchSize = ranks * parts;
    experiment.solver.accumulate = ranks * parts;
    Session alone(experiment, path("alone"));
    alone.trainer.run();
    experiment.solver.accumulate = parts;
    std::vector<std::string> weights(ranks);
    onRanks(ranks, [&](dist::World& world) {
      Session session(experiment, path("rank" + std::to_string(world.rank())), world);
      session.trainer.run();
      weights[world.rank()] = bytesOf(session.trainer.model());
      if (world.rank() != 0) return;
      int statistics = 0;
      for (std::int64_t step = 1; step <= 3; ++step) {
        const auto found = session.observer.valuesOf(step),
                   expected = alone.observer.valuesOf(step);
        for (const char* tag : kComparedTags) {
          require(relativeDifference(found.at(tag), expected.at(tag)) < 1e-5,
                  tag + (": " + std::to_string(found.at(tag))) + " is " +
                      std::to_string(expected.at(tag)));
        }
        for (const auto& [tag, value] : expected) {
          if (!tests::isTensorStatistic(tag)) continue;
          require(std::abs(found.at(tag) - value) <= 1e-4 * std::max(std::abs(value), 1e-3f), tag);
          ++statistics;
        }
      }
      require(statistics > 3 * 5 * 50, "statistics of all parameters");
    });
    for (const std::string& ofRank : weights) QVERIFY(ofRank == weights[0]);
  }

  /// Statistics of all ranks' images: the same running statistics on every rank, which are others
  /// than those of one rank's images, and a resumed run has its bits.
  void syncBatchNormIsTheSameOnAllRanks() {
    config::Experiment experiment = smallExperiment(4);
    experiment.checkpoint.every = {2};
    std::map<config::Norm, std::string> models;
    for (const config::Norm norm : {config::Norm::SyncBatch, config::Norm::Batch}) {
      experiment.model.norm = norm;
      std::array<std::string, 2> weights;
      onRanks(2, [&](dist::World& world) {
        Session session(experiment, path(base::textOf(norm) + std::to_string(world.rank())), world);
        session.trainer.run();
        weights[world.rank()] = bytesOf(session.trainer.model());
      });
      QVERIFY(weights[0] == weights[1]);  // also of batch norm: the last step was evaluated
      models[norm] = weights[0];
    }
    QVERIFY(models[config::Norm::SyncBatch] != models[config::Norm::Batch]);
    experiment.model.norm = config::Norm::SyncBatch;
    const run_folder::Layout whole(path("sync_batch0"));
    onRanks(2, [&](dist::World& world) {
      Session session(experiment, path("sync again" + std::to_string(world.rank())), world);
      session.trainer.resume(whole.checkpoint(2));
      session.trainer.run();
      require(bytesOf(session.trainer.model()) == models[config::Norm::SyncBatch], "its bits");
    });
  }

  void heldOutMetricsDoNotDependOnRanks_data() {
    QTest::addColumn<QString>("data");
    QTest::addColumn<int>("images");
    QTest::addColumn<QString>("norm");
    QTest::newRow("made scenes, group norm") << "" << 3 << "group";
    QTest::newRow("made scenes, batch norm") << "" << 3 << "batch";
    QTest::newRow("12 droplets") << "droplets" << 12 << "group";
    QTest::newRow("7 droplets") << "droplets" << 7 << "group";
  }
  /// Every figure of an evaluation and of predictions, to the last bit, from one checkpoint: on
  /// one, two, three and eight ranks.
  void heldOutMetricsDoNotDependOnRanks() {
    QFETCH(QString, data);
    QFETCH(int, images);
    QFETCH(QString, norm);
    config::Experiment experiment = smallExperiment(2);
    experiment.model.norm = base::parseEnum<config::Norm>(norm.toStdString());
    experiment.solver.batchSize = 8 * 3;  // every number of ranks divides it
    if (!data.isEmpty()) {
      const fs::path real = tests::realData("droplets");
      if (real.empty()) QSKIP("LOCKSTEP_TEST_DATA has no droplets");
      experiment.dataset.val = {real / "val", real / "annotations/instances_val.json"};
      experiment.augment.minSize = {96};
      experiment.augment.maxSize = 128;
    }
    experiment.evaluation.maxImages = images;
    experiment.runtime.cpuThreads = 1;
    // One step of one rank makes the checkpoint, of few images.
    config::Experiment first = experiment;
    first.solver.batchSize = 1;
    const std::string start = path(std::string("start ") + QTest::currentDataTag());
    Session(first, start).trainer.run();
    const run_folder::Layout from(start);
    const std::string expected = base::readFile(from.evaluation(2));
    const std::string predicted = base::readFile(from.predictions(2));
    for (const int ranks : {2, 3, 8}) {
      const std::string run = path(QTest::currentDataTag() + std::to_string(ranks));
      onRanks(ranks, [&](dist::World& world) {
        Session session(experiment, run + "-" + std::to_string(world.rank()), world);
        // Only rank 0 reads a checkpoint.
        session.trainer.resume(world.rank() == 0 ? from.checkpoint(2) : fs::path("/nowhere"));
        session.trainer.run();
      });
      const run_folder::Layout layout(run + "-0");
      QCOMPARE(base::readFile(layout.evaluation(2)), expected);
      QCOMPARE(base::readFile(layout.predictions(2)), predicted);
      QVERIFY2(!fs::exists(run_folder::Layout(run + "-1").evaluation(2)), "rank 0 alone writes");
    }
  }

  /// Resumed from rank 0's checkpoint it ends with the bits of the run that went on.
  void aResumedRunContinuesBitForBit() {
    config::Experiment experiment = smallExperiment(6);
    experiment.checkpoint.every = {2};
    experiment.solver.emaDecay = 0.9;
    experiment.solver.batchSize = 3;
    onRanks(3, [&](dist::World& world) {
      Session(experiment, path("whole" + std::to_string(world.rank())), world).trainer.run();
    });
    experiment.dataset.loaderThreads = 3;
    const run_folder::Layout whole(path("whole0")), resumed(path("resumed0"));
    onRanks(3, [&](dist::World& world) {
      Session session(experiment, path("resumed" + std::to_string(world.rank())), world);
      session.trainer.resume(world.rank() == 0 ? whole.checkpoint(2) : fs::path("/nowhere"));
      session.trainer.run();
    });
    for (const char* file : {"model.safetensors", "optimizer.safetensors"}) {
      QVERIFY2(base::readFile(whole.checkpoint(6) / file) ==
                   base::readFile(resumed.checkpoint(6) / file),
               file);
    }
  }

  void requestsActOnAllRanksAtOneStep_data() {
    QTest::addColumn<int>("asked");
    QTest::newRow("rank 0 is asked") << 0;
    QTest::newRow("another rank is asked") << 1;
  }
  /// Pause, evaluate, checkpoint, resume and stop, whichever rank hears of them.
  void requestsActOnAllRanksAtOneStep() {
    QFETCH(int, asked);
    std::array<std::int64_t, 2> steps{};
    std::array<bool, 2> stopped{};
    std::vector<std::string> states;
    std::vector<protocol::Answer> answers;
    const std::string run = path("asked" + std::to_string(asked) + "-");
    const ImageId heldOut =
        coco::Dataset::load(smallExperiment(1).dataset.val.annotations).images()[0].id;
    onRanks(2, [&](dist::World& world) {
      Session session(smallExperiment(200), run + std::to_string(world.rank()), world);
      std::once_flag once;
      if (world.rank() == asked) {
        session.observer.afterSteps = [&] {
          std::call_once(once, [&] {
            for (const char* name :
                 {"pause", "evaluate", "checkpoint", "predict", "resume", "stop"}) {
              protocol::Control request = tests::control(name, name);
              if (auto* predict = std::get_if<protocol::Predict>(&request.action))
                *predict = {{.imageIds = {heldOut.value}}, run + "answer.json"};
              session.mailbox.post(request);
            }
          });
        };
      }
      const train::Trainer::Outcome outcome = session.trainer.run();
      steps[world.rank()] = outcome.step;
      stopped[world.rank()] = outcome.stopped;
      if (world.rank() == 0) states = session.observer.states, answers = session.observer.answers;
    });
    QVERIFY(stopped[0] && stopped[1]);
    QCOMPARE(steps[0], steps[1]);
    QVERIFY(steps[0] < 200);
    const run_folder::Layout layout(run + "0");
    QVERIFY(fs::exists(layout.checkpoint(steps[0]) / "state.json"));
    QVERIFY(eval::metricsIn(layout.evaluation(steps[0])).averagePrecision);
    QCOMPARE(answers.size(), std::size_t{6});
    QVERIFY(fs::exists(run + "answer.json"));
    for (const protocol::Answer& answer : answers)
      QVERIFY2(answer.error.empty(), answer.error.c_str());
    const std::vector<std::string> expected{"running", "paused", "evaluating", "running", "paused",
                                            "paused",  "paused", "running",    "stopping"};
    QCOMPARE(states, expected);
  }

  /// A pause lasts until somebody resumes, on whichever rank.
  void aPauseHoldsAllRanks() {
    std::atomic<std::int64_t> pausedAt = -1;
    onRanks(2, [&](dist::World& world) {
      Session session(smallExperiment(4), path("paused" + std::to_string(world.rank())), world);
      std::jthread resumer;
      if (world.rank() == 0) {
        session.mailbox.post(tests::control("pause", ""));
        session.observer.afterState = [&](const protocol::State& state) {
          if (state.state == protocol::RunState::Paused) pausedAt = state.step;
        };
      } else {
        resumer = std::jthread([&] {
          while (pausedAt < 0) std::this_thread::yield();
          session.mailbox.post(tests::control("resume", ""));
        });
      }
      require(session.trainer.run().step == 4, "it goes on to the end");
    });
    QVERIFY(pausedAt >= 1 && pausedAt < 4);
  }

  void earlyStoppingStopsAllRanks() {
    config::Experiment experiment = smallExperiment(40);
    experiment.evaluation.lossEvery = {1};
    experiment.evaluation.apEvery = {100};
    experiment.evaluation.earlyStop = {"loss_total", 2, 1000, {}};
    std::array<std::int64_t, 2> steps{};
    onRanks(2, [&](dist::World& world) {
      Session session(experiment, path("early" + std::to_string(world.rank())), world);
      steps[world.rank()] = session.trainer.run().step;
    });
    QCOMPARE(steps[0], std::int64_t{3});
    QCOMPARE(steps[1], std::int64_t{3});
    QVERIFY(eval::metricsIn(run_folder::Layout(path("early0")).evaluation(3)).averagePrecision);
  }

  /// All ranks stop at the step, with one text that names the images of all.
  void divergenceStopsAllRanksBeforeTheUpdate() {
    config::Experiment wild = smallExperiment(30);
    wild.solver.baseLr = 1e12;
    wild.solver.warmupSteps = {0};
    wild.solver.clipGradNorm = 0;
    std::array<std::string, 2> texts;
    std::array<std::string, 2> weights;
    onRanks(2, [&](dist::World& world) {
      Session session(wild, path("wild" + std::to_string(world.rank())), world);
      try {
        session.trainer.run();
      } catch (const Error& error) {
        texts[world.rank()] = error.what();
      }
      weights[world.rank()] = bytesOf(session.trainer.model());
    });
    QVERIFY2(texts[0].find("First non-finite: ") != std::string::npos, texts[0].c_str());
    QCOMPARE(texts[1], texts[0]);
    QVERIFY(weights[1] == weights[0]);
    const run_folder::Layout layout(path("wild0"));
    const auto left = fs::directory_iterator(layout.divergence(1).parent_path());
    const auto replay = run_folder::readReplayFile(left->path() / "replay.json");
    QCOMPARE(replay.imageIds.size(), std::size_t{2});
    QVERIFY(replay.imageIds[0] != replay.imageIds[1]);
  }

  /// An image of one rank's share that cannot be read is every rank's fault, so that none waits.
  void evaluationErrorOfOneRankIsThrownOnAllRanks() {
    const fs::path broken = path("broken");
    fs::copy(path("shapes"), broken, fs::copy_options::recursive);
    config::Experiment experiment = smallExperiment(1);
    experiment.dataset.val = {broken / "val", broken / "annotations/instances_val.json"};
    const auto dataset = coco::Dataset::load(experiment.dataset.val.annotations);
    const fs::path second = broken / "val" / dataset.images()[1].fileName;  // rank 1's
    base::writeFileAtomically(second, "no image");
    std::array<train::Failure, 2> failures;
    onRanks(2, [&](dist::World& world) {
      Session session(experiment, path("unread" + std::to_string(world.rank())), world);
      try {
        session.trainer.run();
      } catch (const Error& error) {
        failures[world.rank()] = train::failureOf(error, {});
      }
    });
    for (const train::Failure& failure : failures) {
      QVERIFY2(failure.message.starts_with(second.string()), failure.message.c_str());
      QCOMPARE(failure.rank, 1);
      QCOMPARE(failure.host, base::hostName());
      QCOMPARE(failure.cause, protocol::FailureCause::BadImage);
    }
  }

  void outOfMemoryInAnEvaluationSavesTheLastStep_data() {
    QTest::addColumn<int>("ranks");
    QTest::newRow("1 rank") << 1;
    QTest::newRow("2 ranks") << 2;
  }
  /// On rank 0 alone, where the others have nothing to do.
  void outOfMemoryInAnEvaluationSavesTheLastStep() {
    QFETCH(int, ranks);
    config::Experiment experiment = smallExperiment(2);
    experiment.evaluation.lossEvery = {1};
    const std::string run = path("full memory " + std::to_string(ranks) + " ");
    std::vector<train::Failure> failures(static_cast<std::size_t>(ranks));
    onRanks(ranks, [&](dist::World& world) {
      Session session(experiment, run + std::to_string(world.rank()), world);
      session.observer.afterSteps = [&] {
        if (session.observer.timesTold(1, "eval/loss_total") > 0) throw std::bad_alloc();
      };
      try {
        session.trainer.run();
      } catch (const std::exception& exception) {
        failures[static_cast<std::size_t>(world.rank())] =
            train::failureOf(exception, {.step = 1, .phase = protocol::Phase::Evaluating});
      }
    });
    for (const train::Failure& failure : failures) {
      QCOMPARE(failure.cause, protocol::FailureCause::OutOfMemory);
      QCOMPARE(failure.message, failures[0].message);
      QCOMPARE(failure.rank, &failure == &failures[0] ? -1 : 0);
    }
    QVERIFY(!run_folder::checkpointError(run_folder::Layout(run + "0").checkpoint(1)));
  }

  /// Machines that have other files under the same name would draw other images.
  void differentDataOnOneRankEndsAll() {
    const std::string file = path("fewer.json");
    nlohmann::json fewer =
        nlohmann::json::parse(base::readFile(smallExperiment(1).dataset.train.annotations));
    fewer["annotations"].erase(fewer["annotations"].begin());
    base::writeFileAtomically(file, fewer.dump());
    std::array<std::string, 2> texts;
    onRanks(2, [&](dist::World& world) {
      config::Experiment experiment = smallExperiment(1);
      if (world.rank() == 1) experiment.dataset.train.annotations = file;
      Session session(experiment, path("other data" + std::to_string(world.rank())), world);
      try {
        session.trainer.run();
      } catch (const Error& error) {
        texts[world.rank()] = error.what();
      }
    });
    QVERIFY2(texts[0].find("dataset.train") != std::string::npos, texts[0].c_str());
    QCOMPARE(texts[1], texts[0]);
  }

 private:
  std::string path(const std::string& name) const {
    return folder_.filePath(QString::fromStdString(name)).toStdString();
  }

  config::Experiment smallExperiment(int steps) const {
    config::Experiment experiment = tests::smallExperiment(path("shapes"), steps);
    experiment.runtime.cpuThreads = 1;
    experiment.monitor.logEvery = {1};
    return experiment;
  }

  /// Every number of a model.
  std::string bytesOf(const model::MaskRcnn& model) const {
    std::string bytes;
    for (const auto& [name, tensor] : model.namedState()) {
      const at::Tensor flat = tensor.detach().contiguous();
      bytes.append(static_cast<const char*>(flat.const_data_ptr()), flat.nbytes());
    }
    return bytes;
  }

  QTemporaryDir folder_;
};

LOCKSTEP_TEST(TstManyRanks)
#include "tst_many_ranks.moc"
