#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "engine/protocol/worker_messages.h"
#include "tests/support/message_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::protocol;

namespace {

template <typename Message>
Message throughTheWorkersWire(const Message& message) {
  if constexpr (std::is_constructible_v<SupervisorMessage, Message>) {
    return std::get<Message>(decodeSupervisorMessage(encode(SupervisorMessage(message))));
  } else {
    return std::get<Message>(decodeWorkerMessage(encode(WorkerMessage(message))));
  }
}

nlohmann::json wireOf(const Work& work) {
  return nlohmann::json::parse(encode(SupervisorMessage(Job{{}, work})))["work"];
}
nlohmann::json wireOf(const Result& result) {
  return nlohmann::json::parse(encode(WorkerMessage(Finished{0, false, result})))["result"];
}

/// A sample has `members` besides its kind, and each is another than in a default of its kind.
template <typename Variant>
void compareWithDefault(const Variant& sample, std::size_t members) {
  const auto full = wireOf(sample);
  const auto empty =
      wireOf(std::visit([]<typename Held>(const Held&) { return Variant(Held()); }, sample));
  QCOMPARE(full.size(), members + 1);
  for (const auto& [name, value] : full.items())
    if (name != "kind") QVERIFY2(empty.at(name) != value, name.c_str());
}

}  // namespace

class TstWorkerMessages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyJobRoundTrips();
  void everyMemberOfAJobIsOnTheWire();
  void jobsHaveTheirNames();
  void everyResultRoundTrips();
  void everyMemberOfAResultIsOnTheWire();
  void aResultOfAnotherKindIsAnError();
  void controlRoundTrips();
  void heartbeatRoundTrips();
  void scalarBatchKeepsEveryStepInOrder();
  void eventsRoundTrip();
  void readyMessagesRoundTrip();
  void answersProgressAndEndsRoundTrip();
  void splitBatchesFitIntoLinesAndLoseNothing();
};

void TstWorkerMessages::everyJobRoundTrips() {
  for (const Work& work : tests::sampleWorks()) {
    const std::string sent = encode(SupervisorMessage(Job{tests::kSamplePlacement, work}));
    QCOMPARE(encode(decodeSupervisorMessage(sent)), sent);
  }
  const Job got = throughTheWorkersWire(Job{tests::kSamplePlacement, tests::sampleWorks()[2]});
  QCOMPARE(got.placement.gpuName, tests::kSamplePlacement.gpuName);
  QCOMPARE(got.placement.masterPort, 29500);
  const auto& predict = std::get<PredictJob>(got.work);
  QCOMPARE(predict.paths, (std::vector<std::string>{"a.png", "b c.jpg"}));
  QCOMPARE(predict.split, Split::Train);
  QCOMPARE(predict.model.configYaml, tests::kSampleModel.configYaml);
}

/// A default job and one that differs in every member differ in every member on the wire.
void TstWorkerMessages::everyMemberOfAJobIsOnTheWire() {
  const std::vector<std::size_t> members{5, 6, 8, 1, 2, 3, 4, 10, 3, 4, 3, 0};
  const std::vector<Work> works = tests::sampleWorks();
  QCOMPARE(works.size(), std::variant_size_v<Work>);
  for (std::size_t i = 0; i < works.size(); ++i) compareWithDefault(works[i], members.at(i));
  const auto place =
      nlohmann::json::parse(encode(SupervisorMessage(Job{tests::kSamplePlacement, {}})))["place"];
  const auto none = nlohmann::json::parse(encode(SupervisorMessage(Job{})))["place"];
  QCOMPARE(place.size(), 10u);
  for (const auto& [name, value] : place.items()) QVERIFY2(none.at(name) != value, name.c_str());
}

void TstWorkerMessages::jobsHaveTheirNames() {
  std::vector<std::string> names;
  for (const Work& work : tests::sampleWorks()) {
    names.push_back(nameOf(work));
    QCOMPARE(wireOf(work)["kind"].get<std::string>(), names.back());
  }
  QCOMPARE(names, (std::vector<std::string>{"train", "evaluate", "predict", "inspect", "replay",
                                            "check", "shapes", "import", "export", "check_dataset",
                                            "preview", "info"}));
}

void TstWorkerMessages::everyResultRoundTrips() {
  for (const Result& result : tests::sampleResults()) {
    const std::string sent = encode(WorkerMessage(Finished{400, true, result}));
    QCOMPARE(encode(decodeWorkerMessage(sent)), sent);
  }
  const Finished got = throughTheWorkersWire(Finished{400, true, tests::sampleResults()[3]});
  QCOMPARE(got.step, 400);
  QVERIFY(got.stopped);
  const auto& replay = std::get<ReplayResult>(got.result);
  QCOMPARE(replay.losses[0].name, std::string("loss_mask"));  // in their order
  QCOMPARE(replay.perImage[0].losses[1].value, 0.5);
  QCOMPARE(replay.perImage[0].fileName, std::string("a.png"));
}

void TstWorkerMessages::everyMemberOfAResultIsOnTheWire() {
  const std::vector<std::size_t> members{0, 8, 3, 4, 3, 3, 5};
  const std::vector<Result> results = tests::sampleResults();
  QCOMPARE(results.size(), std::variant_size_v<Result>);
  for (std::size_t i = 0; i < results.size(); ++i) compareWithDefault(results[i], members.at(i));
  const auto check = wireOf(results[4]);
  QCOMPARE(check["weights"].size(), 2u);
  QCOMPARE(check["train"].size(), 4u);
  QCOMPARE(check["train"]["faults"].size(), 3u);
  QVERIFY(check["train"]["faults"] == check["val"]["dark"]);
  QVERIFY(check["train"]["faults"] != check["train"]["dark"]);
}

void TstWorkerMessages::aResultOfAnotherKindIsAnError() {
  const std::string line =
      R"({"v":1,"type":"finished","step":0,"stopped":false,"result":{"kind":"dance"}})";
  QVERIFY_EXCEPTION_THROWN(decodeWorkerMessage(line), Error);
}

void TstWorkerMessages::controlRoundTrips() {
  const Control pause = throughTheWorkersWire(Control{"4", Pause()});
  QVERIFY(std::holds_alternative<Pause>(pause.action));
  QCOMPARE(pause.id, std::string("4"));
  std::vector<std::string> kinds;
  for (const Action& action : tests::sampleActions()) {
    const std::string line = encode(SupervisorMessage(Control{"", action}));
    kinds.push_back(nlohmann::json::parse(line)["action"]["kind"]);
    const auto read = std::get<Control>(decodeSupervisorMessage(line)).action;
    QCOMPARE(read.index(), action.index());
    if (const auto* evaluate = std::get_if<Evaluate>(&read))
      QCOMPARE(evaluate->out, std::string("/e.json"));
  }
  QCOMPARE(kinds, (std::vector<std::string>{"pause", "resume", "stop", "checkpoint", "evaluate",
                                            "predict", "explain", "explain", "load", "detect"}));
  const auto ofTraining = throughTheWorkersWire(Control{"6", tests::sampleActions()[6]});
  const auto& explain = std::get<Explain>(ofTraining.action);
  QVERIFY(explain.request.imageId == 7 && explain.request.split == Split::Train);
  QCOMPARE(explain.out, std::string("/x.json"));
  const auto ofServer = throughTheWorkersWire(Control{"7", tests::sampleActions()[9]});
  const DetectImage& image = std::get<Detect>(ofServer.action).images.at(0);
  QVERIFY(image.file == "/1.image" && image.imageId == 2 && image.scoreThreshold == 0.3 &&
          image.categoryIds == (std::vector<std::int64_t>{4, 5}) &&
          image.form == AnswerForm::Overlay && image.out == "/1.answer");
  const Detected detected =
      throughTheWorkersWire(Detected{"7", {{.width = 64, .height = 48}, {"no image", true}}});
  QVERIFY(detected.id == "7" && detected.images.at(0).width == 64 &&
          detected.images.at(0).height == 48 && detected.images.at(1).error == "no image" &&
          detected.images.at(1).isUndecodable);
  const auto sent = std::get<Predict>(tests::sampleActions()[5]);
  const Control got = throughTheWorkersWire(Control{std::string(1, kIntegerIdMark) + "5", sent});
  QCOMPARE(got.id, std::string(1, kIntegerIdMark) + "5");
  const auto& predict = std::get<Predict>(got.action);
  QCOMPARE(predict.out, sent.out);
  QCOMPARE(predict.request.paths, sent.request.paths);
  QCOMPARE(predict.request.weights, sent.request.weights);
  QCOMPARE(predict.request.scoreThreshold, 0.7);
}

void TstWorkerMessages::heartbeatRoundTrips() {
  const Heartbeat got =
      throughTheWorkersWire(Heartbeat{3, 12, Phase::Backward, "gradients", true, 7});
  QCOMPARE(got.rank, 3);
  QCOMPARE(got.step, 12);
  QCOMPARE(got.phase.text(), std::string("backward"));
  QCOMPARE(got.collective, std::string("gradients"));
  QVERIFY(got.waiting);
  QCOMPARE(got.images, 7);
  QCOMPARE(throughTheWorkersWire(Listening{40001}).port, 40001);
}

void TstWorkerMessages::scalarBatchKeepsEveryStepInOrder() {
  ScalarBatch sent;
  for (int step = 1; step <= 20; ++step) {
    sent.records.push_back(
        {0, step, step + 0.125, {{"a", 0.1f * static_cast<float>(step)}, {"b", std::nanf("")}}});
  }
  const ScalarBatch got = throughTheWorkersWire(sent);
  QCOMPARE(got.records.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) {
    QCOMPARE(got.records[i].step, sent.records[i].step);
    QCOMPARE(got.records[i].time, sent.records[i].time);
    QCOMPARE(got.records[i].values[0], sent.records[i].values[0]);
    QVERIFY(std::isnan(got.records[i].values[1].second));
  }
  QVERIFY(throughTheWorkersWire(ScalarBatch{}).records.empty());
}

void TstWorkerMessages::eventsRoundTrip() {
  const State state = throughTheWorkersWire(State{.step = 9, .state = RunState::Paused});
  QVERIFY(state.state == RunState::Paused);
  QCOMPARE(state.step, 9);
  const Log log =
      throughTheWorkersWire(Log{.step = 3, .level = base::LogLevel::Warning, .text = "slow disk"});
  QCOMPARE(log.step, 3);
  QVERIFY(log.level == base::LogLevel::Warning);
  QCOMPARE(log.text, std::string("slow disk"));
}

void TstWorkerMessages::readyMessagesRoundTrip() {
  const CheckpointReady checkpoint =
      throughTheWorkersWire(CheckpointReady{5, "/p", true, true, "disk full", "/tmp/p"});
  QCOMPARE(checkpoint.step, 5);
  QCOMPARE(checkpoint.partial, std::string("/p"));
  QVERIFY(checkpoint.best && checkpoint.last);
  QCOMPARE(checkpoint.error, std::string("disk full"));
  QCOMPARE(checkpoint.elsewhere, std::string("/tmp/p"));
  const BadImage image = throughTheWorkersWire(BadImage{3, Split::Val, 7, "/a.png", "is cut off"});
  QCOMPARE(image.step, std::int64_t{3});
  QCOMPARE(image.split, Split::Val);
  QCOMPARE(image.imageId, std::int64_t{7});
  QCOMPARE(image.file, std::string("/a.png"));
  QCOMPARE(image.reason, std::string("is cut off"));
  const EvaluationReady best = throughTheWorkersWire(EvaluationReady{6, "/e", "segm/AP", 0.5});
  QCOMPARE(best.step, 6);
  QCOMPARE(best.partial, std::string("/e"));
  QCOMPARE(best.bestMetric, std::string("segm/AP"));
  QCOMPARE(best.bestValue, std::optional<double>(0.5));
  QCOMPARE(throughTheWorkersWire(EvaluationReady{6, "/e", "segm/AP", {}}).bestValue, std::nullopt);
  const DivergenceReady divergence = throughTheWorkersWire(DivergenceReady{9, "/d"});
  QCOMPARE(divergence.step, std::int64_t{9});
  QCOMPARE(divergence.partial, std::string("/d"));
  const PredictionsReady predictions = throughTheWorkersWire(PredictionsReady{7, "/q"});
  QCOMPARE(predictions.step, 7);
  QCOMPARE(predictions.partial, std::string("/q"));
  const PicturesReady pictures =
      throughTheWorkersWire(PicturesReady{8, "/i", {{3, "3.png", 640, 480}, {5, "5.png", 64, 48}}});
  QCOMPARE(pictures.step, std::int64_t{8});
  QCOMPARE(pictures.partial, std::string("/i"));
  QCOMPARE(pictures.pictures.size(), std::size_t{2});
  QCOMPARE(pictures.pictures[0].imageId, std::int64_t{3});
  QCOMPARE(pictures.pictures[1].file, std::string("5.png"));
  QCOMPARE(pictures.pictures[0].width, 640);
  QCOMPARE(pictures.pictures[0].height, 480);
}

void TstWorkerMessages::answersProgressAndEndsRoundTrip() {
  const Answer answer = throughTheWorkersWire(Answer{"1", "/a.json", "why not"});
  QCOMPARE(answer.id, std::string("1"));
  QCOMPARE(answer.path, std::string("/a.json"));
  QCOMPARE(answer.error, std::string("why not"));
  const Progress progress = throughTheWorkersWire(Progress{3, 10, "evaluating"});
  QCOMPARE(progress.done, 3);
  QCOMPARE(progress.total, 10);
  QCOMPARE(progress.text, std::string("evaluating"));
  const Failed failed = throughTheWorkersWire(Failed{
      3, "node7", "loss is NaN", 2, 41, Phase::Backward, "c", base::OpenEnum<FailureCause>("why")});
  QCOMPARE(failed.rank, 3);
  QCOMPARE(failed.host, std::string("node7"));
  QCOMPARE(failed.message, std::string("loss is NaN"));
  QCOMPARE(failed.exitStatus, 2);
  QCOMPARE(failed.step, 41);
  QCOMPARE(failed.phase.text(), std::string("backward"));
  QCOMPARE(failed.collective, std::string("c"));
  QCOMPARE(failed.cause.text(), std::string("why"));
}

void TstWorkerMessages::splitBatchesFitIntoLinesAndLoseNothing() {
  ScalarBatch batch;
  for (int step = 1; step <= 200; ++step) {
    Scalars record{0, step, 0.5, {}};
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
    for (const Scalars& record : part.records) QCOMPARE(record.step, expected++);
  }
  QCOMPARE(expected, 201);
  QVERIFY(splitBatch(ScalarBatch{}).empty());
}

LOCKSTEP_TEST(TstWorkerMessages)
#include "tst_worker_messages.moc"
