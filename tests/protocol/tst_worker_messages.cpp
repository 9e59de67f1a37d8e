#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/protocol/worker_messages.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::protocol;

namespace {

template <typename Message>
Message throughTheWire(const Message& message) {
  if constexpr (std::is_constructible_v<SupervisorMessage, Message>) {
    return std::get<Message>(decodeSupervisorMessage(encode(SupervisorMessage(message))));
  } else {
    return std::get<Message>(decodeWorkerMessage(encode(WorkerMessage(message))));
  }
}

Job fullJob() {
  Job job;
  job.kind = "predict";
  job.configYaml = "name: \"a\"\nsolver: {max_steps: 3}\n";
  job.runFolder = "/runs/ä";
  job.node = 1, job.nodes = 2, job.localRank = 3, job.localRanks = 4;
  job.machineRanks = 5;
  job.gpu = 5;
  job.gpuName = "GPU 5 (NVIDIA H200)";
  job.masterAddress = "10.0.0.7";
  job.masterPort = 29500;
  job.storeIsServed = true;
  job.resumeFrom = "/runs/ä/checkpoints/step-00000010";
  job.weights = "/w.safetensors";
  job.weightsName = "step-00000010";
  job.step = 10;
  job.split = "train";
  job.perImage = true;
  job.paths = {"a.png", "b c.jpg"};
  job.pathsFile = "/tmp/list";
  job.scoreThreshold = 0.25;
  job.out = "/tmp/o.json";
  job.overlays = "/tmp/overlays";
  job.overlayScore = 0.75;
  job.checkpointPatience = 10;
  job.badImages = {3, 7};
  job.folder = "/tmp/shapes";
  job.trainImages = 7, job.valImages = 8;
  job.seed = -5;
  return job;
}

}  // namespace

class TstWorkerMessages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void jobRoundTrips();
  void everyMemberOfAJobIsOnTheWire();
  void controlRoundTrips();
  void heartbeatRoundTrips();
  void scalarBatchKeepsEveryStepInOrder();
  void stateAndLogRoundTrip();
  void readyMessagesRoundTrip();
  void answersProgressAndEndsRoundTrip();
  void splitBatchesFitIntoLinesAndLoseNothing();
};

void TstWorkerMessages::jobRoundTrips() {
  const Job sent = fullJob();
  const Job got = throughTheWire(sent);
  QCOMPARE(got.kind, sent.kind);
  QCOMPARE(got.configYaml, sent.configYaml);
  QCOMPARE(got.runFolder, sent.runFolder);
  QCOMPARE(got.node, sent.node);
  QCOMPARE(got.nodes, sent.nodes);
  QCOMPARE(got.localRank, sent.localRank);
  QCOMPARE(got.localRanks, sent.localRanks);
  QCOMPARE(got.gpu, sent.gpu);
  QCOMPARE(got.gpuName, sent.gpuName);
  QCOMPARE(got.masterAddress, sent.masterAddress);
  QCOMPARE(got.masterPort, sent.masterPort);
  QCOMPARE(got.storeIsServed, sent.storeIsServed);
  QCOMPARE(got.resumeFrom, sent.resumeFrom);
  QCOMPARE(got.weights, sent.weights);
  QCOMPARE(got.weightsName, sent.weightsName);
  QCOMPARE(got.step, sent.step);
  QCOMPARE(got.split, sent.split);
  QCOMPARE(got.perImage, sent.perImage);
  QCOMPARE(got.paths, sent.paths);
  QCOMPARE(got.pathsFile, sent.pathsFile);
  QCOMPARE(got.scoreThreshold, sent.scoreThreshold);
  QCOMPARE(got.out, sent.out);
  QCOMPARE(got.overlays, sent.overlays);
  QCOMPARE(got.overlayScore, sent.overlayScore);
  QCOMPARE(got.checkpointPatience, sent.checkpointPatience);
  QCOMPARE(got.badImages, sent.badImages);
  QCOMPARE(got.machineRanks, sent.machineRanks);
  QCOMPARE(got.folder, sent.folder);
  QCOMPARE(got.trainImages, sent.trainImages);
  QCOMPARE(got.valImages, sent.valImages);
  QCOMPARE(got.seed, sent.seed);
}

/// A default job and one that differs in every member differ in every member on the wire.
void TstWorkerMessages::everyMemberOfAJobIsOnTheWire() {
  const auto plain = nlohmann::json::parse(encode(SupervisorMessage(Job{})));
  const auto full = nlohmann::json::parse(encode(SupervisorMessage(fullJob())));
  QCOMPARE(full.size(), 33u);
  for (const auto& [name, value] : full.items()) {
    if (name != "v" && name != "type") QVERIFY2(plain.at(name) != value, name.c_str());
  }
}

void TstWorkerMessages::controlRoundTrips() {
  const Control pause = throughTheWire(Control{"pause", "4", {}, ""});
  QCOMPARE(pause.name, std::string("pause"));
  QCOMPARE(pause.id, std::string("4"));
  QVERIFY(pause.predict.imageIds.empty());
  Control sent{"predict", std::string(1, kIntegerIdMark) + "5", {}, "/run/answer.json"};
  sent.predict.paths = {"x.png"};
  sent.predict.weights = "/w.safetensors";
  sent.predict.scoreThreshold = 0.7;
  const Control got = throughTheWire(sent);
  QCOMPARE(got.id, sent.id);
  QCOMPARE(got.out, sent.out);
  QCOMPARE(got.predict.id, sent.id);
  QCOMPARE(got.predict.paths, sent.predict.paths);
  QCOMPARE(got.predict.weights, sent.predict.weights);
  QCOMPARE(got.predict.scoreThreshold, 0.7);
}

void TstWorkerMessages::heartbeatRoundTrips() {
  const Heartbeat got = throughTheWire(Heartbeat{3, 12, "backward", "gradients", true, 7});
  QCOMPARE(got.rank, 3);
  QCOMPARE(got.step, 12);
  QCOMPARE(got.phase, std::string("backward"));
  QCOMPARE(got.collective, std::string("gradients"));
  QVERIFY(got.waiting);
  QCOMPARE(got.images, 7);
  QCOMPARE(throughTheWire(Listening{40001}).port, 40001);
}

void TstWorkerMessages::scalarBatchKeepsEveryStepInOrder() {
  ScalarBatch sent;
  for (int step = 1; step <= 20; ++step) {
    sent.records.push_back(
        {step, step + 0.125, {{"a", 0.1f * static_cast<float>(step)}, {"b", std::nanf("")}}});
  }
  const ScalarBatch got = throughTheWire(sent);
  QCOMPARE(got.records.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    QCOMPARE(got.records[i].step, sent.records[i].step);
    QCOMPARE(got.records[i].time, sent.records[i].time);
    QCOMPARE(got.records[i].values[0], sent.records[i].values[0]);
    QVERIFY(std::isnan(got.records[i].values[1].second));
  }
  QVERIFY(throughTheWire(ScalarBatch{}).records.empty());
}

void TstWorkerMessages::stateAndLogRoundTrip() {
  const WorkerState state = throughTheWire(WorkerState{"paused", 9});
  QCOMPARE(state.state, std::string("paused"));
  QCOMPARE(state.step, 9);
  const WorkerLog log = throughTheWire(WorkerLog{"warning", "slow disk", 3});
  QCOMPARE(log.level, std::string("warning"));
  QCOMPARE(log.text, std::string("slow disk"));
  QCOMPARE(log.step, 3);
}

void TstWorkerMessages::readyMessagesRoundTrip() {
  const CheckpointReady checkpoint =
      throughTheWire(CheckpointReady{5, "/p", true, true, "disk full", "/tmp/p"});
  QCOMPARE(checkpoint.step, 5);
  QCOMPARE(checkpoint.partial, std::string("/p"));
  QVERIFY(checkpoint.best && checkpoint.last);
  QCOMPARE(checkpoint.error, std::string("disk full"));
  QCOMPARE(checkpoint.elsewhere, std::string("/tmp/p"));
  const BadImage image = throughTheWire(BadImage{3, "val", 7, "/a.png", "is cut off"});
  QCOMPARE(image.step, std::int64_t{3});
  QCOMPARE(image.part, std::string("val"));
  QCOMPARE(image.imageId, std::int64_t{7});
  QCOMPARE(image.file, std::string("/a.png"));
  QCOMPARE(image.reason, std::string("is cut off"));
  const EvaluationReady best = throughTheWire(EvaluationReady{6, "/e", "segm/AP", 0.5});
  QCOMPARE(best.step, 6);
  QCOMPARE(best.partial, std::string("/e"));
  QCOMPARE(best.bestMetric, std::string("segm/AP"));
  QCOMPARE(best.bestValue, std::optional<double>(0.5));
  QCOMPARE(throughTheWire(EvaluationReady{6, "/e", "segm/AP", {}}).bestValue, std::nullopt);
  const DivergenceReady divergence = throughTheWire(DivergenceReady{9, "/d"});
  QCOMPARE(divergence.step, std::int64_t{9});
  QCOMPARE(divergence.partial, std::string("/d"));
  const PredictionsReady predictions = throughTheWire(PredictionsReady{7, "/q"});
  QCOMPARE(predictions.step, 7);
  QCOMPARE(predictions.partial, std::string("/q"));
}

void TstWorkerMessages::answersProgressAndEndsRoundTrip() {
  const Answer answer = throughTheWire(Answer{"1", "/a.json", "why not"});
  QCOMPARE(answer.id, std::string("1"));
  QCOMPARE(answer.path, std::string("/a.json"));
  QCOMPARE(answer.error, std::string("why not"));
  const Progress progress = throughTheWire(Progress{3, 10, "evaluating"});
  QCOMPARE(progress.done, 3);
  QCOMPARE(progress.total, 10);
  QCOMPARE(progress.text, std::string("evaluating"));
  const Finished finished = throughTheWire(Finished{400, true, "{\"a\": 1}"});
  QCOMPARE(finished.step, 400);
  QVERIFY(finished.stopped);
  QCOMPARE(finished.result, std::string("{\"a\": 1}"));
  const Failed failed =
      throughTheWire(Failed{3, "node7", "loss is NaN", 2, 41, "backward", "c", "why"});
  QCOMPARE(failed.rank, 3);
  QCOMPARE(failed.host, std::string("node7"));
  QCOMPARE(failed.message, std::string("loss is NaN"));
  QCOMPARE(failed.exitStatus, 2);
  QCOMPARE(failed.step, 41);
  QCOMPARE(failed.phase, std::string("backward"));
  QCOMPARE(failed.collective, std::string("c"));
  QCOMPARE(failed.cause, std::string("why"));
}

void TstWorkerMessages::splitBatchesFitIntoLinesAndLoseNothing() {
  ScalarBatch batch;
  for (int step = 1; step <= 200; ++step) {
    StepScalars record{step, 0.5, {}};
    for (int tag = 0; tag < 600; ++tag) {
      record.values.emplace_back("grad_norm/backbone.layer\x01." + std::to_string(tag),
                                 1.0f / 3.0f);
    }
    batch.records.push_back(std::move(record));
  }
  std::int64_t expected = 1;
  const auto parts = splitBatch(batch);
  QVERIFY(parts.size() > 1);
  for (const ScalarBatch& part : parts) {
    QVERIFY(encode(WorkerMessage(part)).size() <= kMaxLineBytes);
    for (const StepScalars& record : part.records) QCOMPARE(record.step, expected++);
  }
  QCOMPARE(expected, 201);
  QVERIFY(splitBatch(ScalarBatch{}).empty());
}

LOCKSTEP_TEST(TstWorkerMessages)
#include "tst_worker_messages.moc"
