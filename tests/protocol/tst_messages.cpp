#include <QTest>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/protocol/messages.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::protocol;

namespace {

/// The message that comes back through the wire.
template <typename Message>
Message throughTheWire(const Message& message) {
  if constexpr (std::is_constructible_v<ClientMessage, Message>) {
    return std::get<Message>(decodeClientMessage(encode(ClientMessage(message))));
  } else {
    return std::get<Message>(decodeEngineMessage(encode(EngineMessage(message))));
  }
}

nlohmann::json wire(const EngineMessage& message) { return nlohmann::json::parse(encode(message)); }
nlohmann::json wire(const ClientMessage& message) { return nlohmann::json::parse(encode(message)); }

const RunError kError{"rank 1 was killed",
                      1,
                      "node7",
                      412,
                      Phase::Backward,
                      "all_reduce 5",
                      base::OpenEnum<FailureCause>("signal 9")};

}  // namespace

class TstMessages : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyLineHasVersionAndTypeAndNoNewline();
  void helloAndCommandsRoundTrip();
  void predictRoundTripsWithEitherSource();
  void explainNamesOneImage();
  void aPartIsPredictedAndCancelled();
  void queueRoundTrips();
  void fileRoundTrips();
  void integerIdsComeBackAsIntegers();
  void welcomeAndResetRoundTrip();
  void scalarsRoundTripToTheBit();
  void stateRoundTripsWithAndWithoutError();
  void logCheckpointEvaluationPredictionsRoundTrip();
  void alertRoundTrips();
  void okCarriesItsAnswer();
  void okCarriesTheStatusOfARun();
  void okCarriesTheStatusOfAnInspection();
  void unknownStringsAreKept();
  void errorReplyRoundTripsWithoutAnId();
  void wireNamesAreThoseOfTheContract();
  void eventsHaveNeitherVersionNorSeq();
  void eventsTakeSeqStepAndTimeOfTheirRecord();
  void scalarsHaveNoEventJson();
  void invalidUtf8IsReplacedOnTheWayOut();
  void unknownMembersAreIgnored();
};

void TstMessages::everyLineHasVersionAndTypeAndNoNewline() {
  const std::string line =
      encode(EngineMessage(Log{1, 2, 3.5, base::LogLevel::Info, "two\nlines"}));
  QVERIFY(line.find('\n') == std::string::npos);
  QVERIFY(line.starts_with(R"({"v":1,"type":"log",)"));
}

void TstMessages::helloAndCommandsRoundTrip() {
  const Hello hello = throughTheWire(Hello{41, 3});
  QCOMPARE(hello.since, 41);
  QCOMPARE(hello.attempt, 3);
  for (const char* name :
       {"status", "pause", "resume", "stop", "checkpoint", "evaluate", "dequeue"}) {
    const CommandName sent = base::parseEnum<CommandName>(name).value();
    const Command command = throughTheWire(Command{"a-7", sent});
    QCOMPARE(command.id, std::string("a-7"));
    QCOMPARE(command.name, sent);
    QCOMPARE(wire(ClientMessage(command))["type"].get<std::string>(), std::string(name));
  }
}

void TstMessages::predictRoundTripsWithEitherSource() {
  const PredictRequest byId =
      throughTheWire(PredictRequest{"1", {7, -3, 1LL << 53}, {}, "best", 0.3});
  QCOMPARE(byId.imageIds, (std::vector<std::int64_t>{7, -3, 1LL << 53}));
  QVERIFY(byId.paths.empty());
  QCOMPARE(byId.weights, std::string("best"));
  QCOMPARE(byId.scoreThreshold, 0.3);
  const PredictRequest byPath = throughTheWire(PredictRequest{"2", {}, {"/a b/ä.png", "c"}, "", 1});
  QCOMPARE(byPath.paths, (std::vector<std::string>{"/a b/ä.png", "c"}));
  QVERIFY(byPath.weights.empty());
  const auto bare = decodeClientMessage(R"({"v":1,"type":"predict","id":"3","image_ids":[1]})");
  QCOMPARE(std::get<PredictRequest>(bare).scoreThreshold, 0.05);
}

void TstMessages::explainNamesOneImage() {
  const ExplainRequest byId = throughTheWire(
      ExplainRequest{.id = "1", .imageId = 7, .split = Split::Train, .weights = "best"});
  QVERIFY(byId.imageId == 7 && byId.path.empty() && byId.split == Split::Train);
  QCOMPARE(byId.weights, std::string("best"));
  QVERIFY(wire(ClientMessage(ExplainRequest{.id = "2", .path = "/a b/ä.png"})) ==
          nlohmann::json::parse(R"({"v":1,"type":"explain","id":"2","image":"/a b/ä.png"})"));
  const auto bare = std::get<ExplainRequest>(
      decodeClientMessage(R"({"v":1,"type":"explain","id":"3","image":0})"));
  QVERIFY(bare.imageId == 0 && bare.split == Split::Val && bare.weights.empty());
  for (const char* refused :
       {R"({"v":1,"type":"explain","id":"3"})", R"({"v":1,"type":"explain","id":"3","image":[1]})",
        R"({"v":1,"type":"explain","id":"3","image":"a.png","split":"val"})"})
    QVERIFY_EXCEPTION_THROWN(decodeClientMessage(refused), Error);
}

void TstMessages::aPartIsPredictedAndCancelled() {
  const PredictRequest part = throughTheWire(PredictRequest{.id = "1", .split = Split::Train});
  QVERIFY(part.split == Split::Train && part.imageIds.empty() && part.paths.empty());
  QVERIFY(wire(ClientMessage(part)) ==
          nlohmann::json::parse(
              R"({"v":1,"type":"predict","id":"1","split":"train","score_threshold":0.05})"));
  const char* twoSources = R"({"v":1,"type":"predict","id":"1","split":"val","image_ids":[1]})";
  QVERIFY_EXCEPTION_THROWN(decodeClientMessage(twoSources), Error);
  const char* noSource = R"({"v":1,"type":"predict","id":"1","split":null})";
  QVERIFY_EXCEPTION_THROWN(decodeClientMessage(noSource), Error);
  QCOMPARE(throughTheWire(CancelRequest{"1"}).id, std::string("1"));
  QVERIFY(wire(ClientMessage(CancelRequest{"1"})) ==
          nlohmann::json::parse(R"({"v":1,"type":"cancel","id":"1"})"));
  const RequestProgress progress = throughTheWire(RequestProgress{"1", 3, 9});
  QVERIFY(progress.id == "1" && progress.done == 3 && progress.of == 9);
  QVERIFY(wire(EngineMessage(progress)) ==
          nlohmann::json::parse(R"({"v":1,"type":"progress","id":"1","done":3,"of":9})"));
}

void TstMessages::queueRoundTrips() {
  const QueueRequest request = throughTheWire(QueueRequest{"q", 3});
  QCOMPARE(request.id, std::string("q"));
  QCOMPARE(request.position, 3);
  QVERIFY(wire(ClientMessage(QueueRequest{"q", 3})) ==
          nlohmann::json::parse(R"({"v":1,"type":"queue","id":"q","position":3})"));
  const auto status = throughTheWire(Ok{"1", RunStatus{.queuePosition = 2}});
  QCOMPARE(std::get<RunStatus>(status.answer).queuePosition.value_or(0), 2);
  QVERIFY(!wire(EngineMessage(Ok{"1", RunStatus{}})).contains("queue_position"));
}

void TstMessages::fileRoundTrips() {
  const FileRequest request = throughTheWire(FileRequest{"f", "predictions/ä.json", 5});
  QCOMPARE(request.id, std::string("f"));
  QCOMPARE(request.path, std::string("predictions/ä.json"));
  QCOMPARE(request.offset, std::int64_t{5});
  const auto bare = decodeClientMessage(R"({"v":1,"type":"file","id":"1","path":"a"})");
  QCOMPARE(std::get<FileRequest>(bare).offset, std::int64_t{0});
  const std::string data("\0\xff\n binary", 10);
  const auto answer = throughTheWire(Ok{"1", FilePart{900, 1.75e9, data}});
  const FilePart part = std::get<FilePart>(answer.answer);
  QCOMPARE(part.bytes, std::int64_t{900});
  QCOMPARE(part.modified, 1.75e9);
  QCOMPARE(part.data, data);
  const FilePart largest{0, 0, std::string(kMaxFilePartBytes, 'x')};
  QVERIFY(encode(EngineMessage(Ok{std::string(kMaxIdBytes, 'i'), largest})).size() < kMaxLineBytes);
  QVERIFY(wire(EngineMessage(Ok{"1", FilePart{3, 2.5, "abc"}})) ==
          nlohmann::json::parse(
              R"({"v":1,"type":"ok","id":"1","bytes":3,"modified":2.5,"data":"YWJj"})"));
}

void TstMessages::integerIdsComeBackAsIntegers() {
  const auto request = decodeClientMessage(R"({"v":1,"type":"pause","id":12})");
  const Command& command = std::get<Command>(request);
  QVERIFY(wire(EngineMessage(Ok{command.id}))["id"] == nlohmann::json(12));
  QVERIFY(wire(EngineMessage(ErrorReply{command.id, "no"}))["id"] == nlohmann::json(12));
  QCOMPARE(requestIdOf(R"({"v":9,"type":"pause","id":-12})"),
           std::string(1, kIntegerIdMark) + "-12");
  const auto digits = decodeClientMessage(R"({"v":1,"type":"pause","id":"12"})");
  QVERIFY(wire(EngineMessage(Ok{std::get<Command>(digits).id}))["id"] == nlohmann::json("12"));
}

void TstMessages::welcomeAndResetRoundTrip() {
  const Welcome welcome = throughTheWire(Welcome{"/runs/a", 2, 99, RunState::Paused});
  QCOMPARE(welcome.run, std::string("/runs/a"));
  QCOMPARE(welcome.attempt, 2);
  QCOMPARE(welcome.seq, 99);
  QCOMPARE(welcome.state.text(), std::string("paused"));
  const Reset reset = throughTheWire(Reset{12, 500});
  QCOMPARE(reset.seq, 12);
  QCOMPARE(reset.step, 500);
}

void TstMessages::scalarsRoundTripToTheBit() {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Scalars sent{5, 6, 1764000000.123456, {}};
  sent.values = {{"a/0.1", 0.1f},          {"b/nan", std::nanf("")}, {"c/inf", kInfinity},
                 {"d/-inf", -kInfinity},   {"e/tiny", 1e-45f},       {"f/big", 3.4028235e38f},
                 {"g/third", 1.0f / 3.0f}, {"h/minus zero", -0.0f},  {"i \"\\ü", 16777216.0f}};
  const Scalars got = throughTheWire(sent);
  QCOMPARE(got.seq, 5);
  QCOMPARE(got.step, 6);
  QCOMPARE(got.time, sent.time);
  QCOMPARE(got.values.size(), sent.values.size());
  for (std::size_t i = 0; i < sent.values.size(); ++i) {
    QCOMPARE(got.values[i].first, sent.values[i].first);
    QCOMPARE(std::memcmp(&got.values[i].second, &sent.values[i].second, sizeof(float)), 0);
  }
  QVERIFY(wire(EngineMessage(sent))["values"]["b/nan"] == nlohmann::json("NaN"));
  QVERIFY(encode(EngineMessage(sent)).find(R"("a/0.1":0.1,)") != std::string::npos);
}

void TstMessages::stateRoundTripsWithAndWithoutError() {
  const State plain = throughTheWire(State{1, 2, 3.25, RunState::Running, std::nullopt});
  QCOMPARE(plain.state.text(), std::string("running"));
  QVERIFY(!plain.error);
  const State failed = throughTheWire(State{1, 2, 3.25, RunState::Failed, kError});
  QVERIFY(failed.error);
  QCOMPARE(failed.error->message, kError.message);
  QCOMPARE(failed.error->rank, 1);
  QCOMPARE(failed.error->host, kError.host);
  QCOMPARE(failed.error->step, 412);
  QCOMPARE(failed.error->phase, kError.phase);
  QCOMPARE(failed.error->collective, kError.collective);
  QCOMPARE(failed.error->cause.text(), std::string("signal 9"));
}

void TstMessages::logCheckpointEvaluationPredictionsRoundTrip() {
  const Log log =
      throughTheWire(Log{1, 2, 3.5, base::LogLevel::Error, "disk full", LogKind::CheckpointFailed});
  QCOMPARE(log.level.text(), std::string("error"));
  QCOMPARE(log.text, std::string("disk full"));
  QCOMPARE(log.kind.text(), std::string("checkpoint_failed"));
  QVERIFY(throughTheWire(Log{1, 2, 3.5, base::LogLevel::Info, "x"}).kind.isEmpty());
  const Checkpoint checkpoint =
      throughTheWire(Checkpoint{1, 2, 3.5, "checkpoints/step-00000002", true});
  QCOMPARE(checkpoint.path, std::string("checkpoints/step-00000002"));
  QVERIFY(checkpoint.best);
  QCOMPARE(checkpoint.step, 2);
  const Evaluation evaluation =
      throughTheWire(Evaluation{7, 8, 9, "evaluations/step-00000008.json"});
  QCOMPARE(evaluation.path, std::string("evaluations/step-00000008.json"));
  QCOMPARE(evaluation.seq, 7);
  const Predictions predictions = throughTheWire(Predictions{7, 8, 9, "p.json"});
  QCOMPARE(predictions.path, std::string("p.json"));
  QCOMPARE(predictions.time, 9.0);
}

void TstMessages::alertRoundTrips() {
  const Alert alert = throughTheWire(Alert{5,
                                           77,
                                           8.5,
                                           AlertKind::Overfitting,
                                           Severity::Warning,
                                           "validation loss rose",
                                           {"a", "b"},
                                           60,
                                           77});
  QCOMPARE(alert.seq, 5);
  QCOMPARE(alert.step, 77);
  QCOMPARE(alert.time, 8.5);
  QCOMPARE(alert.kind.text(), std::string("overfitting"));
  QCOMPARE(alert.severity.text(), std::string("warning"));
  QCOMPARE(alert.text, std::string("validation loss rose"));
  QCOMPARE(alert.tags, (std::vector<std::string>{"a", "b"}));
  QCOMPARE(alert.from, 60);
  QCOMPARE(alert.to, 77);
  QVERIFY(alert.key.empty() && alert.value.empty());
  const Alert advice = throughTheWire(
      Alert{.kind = base::OpenEnum<AlertKind>("k"), .key = "solver.base_lr", .value = "0.01"});
  QCOMPARE(advice.kind.text(), std::string("k"));
  QCOMPARE(advice.key, std::string("solver.base_lr"));
  QCOMPARE(advice.value, std::string("0.01"));
  QVERIFY(!wire(EngineMessage(Alert{})).contains("key"));
}

void TstMessages::okCarriesItsAnswer() {
  const std::string line = encode(EngineMessage(Ok{"9", AnswerPath{"a.json"}}));
  QCOMPARE(line, std::string(R"({"v":1,"type":"ok","id":"9","path":"a.json"})"));
  QCOMPARE(std::get<AnswerPath>(throughTheWire(Ok{"9", AnswerPath{"a"}}).answer).path,
           std::string("a"));
  QVERIFY(std::holds_alternative<std::monostate>(throughTheWire(Ok{"9"}).answer));
  QCOMPARE(encode(EngineMessage(Ok{"9"})), std::string(R"({"v":1,"type":"ok","id":"9"})"));
}

void TstMessages::okCarriesTheStatusOfARun() {
  RunStatus sent{RunState::Running, 2,  4,   60, 17,
                 Phase::Forward,    99, 3.5, -1, {{0, 4, Phase::Forward}, {1, 3, {}}}};
  QCOMPARE(
      encode(EngineMessage(Ok{"1", sent})),
      std::string(
          R"({"v":1,"type":"ok","id":"1","attempt":2,"checkpoints":[],"created":0,)"
          R"("eta_seconds":-1,"finished":0,"images_per_second":3.5,"max_steps":60,)"
          R"("phase":"forward","pid":99,)"
          R"("ranks":[{"phase":"forward","rank":0,"step":4},)"
          R"({"phase":"","rank":1,"step":3}],"seq":17,"started":0,"state":"running","step":4})"));
  sent.name = "made";
  sent.stepsPerEpoch = 7.5;
  sent.isRangeTest = true;
  sent.checkpoints = {2, 4};
  sent.error.emplace().message = "out of disk";
  sent.leftOut = "a line";
  sent.best = {"segm/AP", 0.25, 40};
  sent.created = 1.5e9;
  sent.started = 1.5e9 + 1;
  sent.finished = 1.5e9 + 2;
  const auto got = std::get<RunStatus>(throughTheWire(Ok{"1", sent}).answer);
  QVERIFY(got.state == sent.state && got.phase == sent.phase && got.seq == sent.seq);
  QCOMPARE(got.ranks.size(), 2u);
  QVERIFY(got.ranks[0].phase == Phase::Forward && got.ranks[1].phase.isEmpty());
  QVERIFY(got.name == sent.name && got.stepsPerEpoch == sent.stepsPerEpoch && got.isRangeTest);
  QVERIFY(got.checkpoints == sent.checkpoints && got.leftOut == sent.leftOut);
  QCOMPARE(got.error.value().message, std::string("out of disk"));
  QVERIFY(got.best && got.best->metric == "segm/AP" && got.best->value == 0.25);
  QCOMPARE(got.best->step, std::int64_t{40});
  QVERIFY(got.created == sent.created && got.started == sent.started &&
          got.finished == sent.finished);
}

void TstMessages::okCarriesTheStatusOfAnInspection() {
  const Ok ok{"1", InspectionStatus{RunState::Finished, 400, "/w.safetensors"}};
  QCOMPARE(encode(EngineMessage(ok)),
           std::string(R"({"v":1,"type":"ok","id":"1","state":"finished","step":400,)"
                       R"("weights":"/w.safetensors"})"));
  QCOMPARE(std::get<InspectionStatus>(throughTheWire(ok).answer).weights,
           std::string("/w.safetensors"));
}

/// What another version of the program says is handed on as it was.
void TstMessages::unknownStringsAreKept() {
  for (const char* line :
       {R"({"v":1,"type":"state","seq":1,"step":2,"time":3,"state":"dozing","error":null})",
        R"({"v":1,"type":"log","seq":1,"step":2,"time":3,"level":"hint","text":"t","kind":"new"})",
        R"({"v":1,"type":"alert","seq":1,"step":2,"time":3,"kind":"slow_disk","severity":"hint",)"
        R"("text":"t","tags":[],"from":1,"to":2})"}) {
    QCOMPARE(encode(decodeEngineMessage(line)), std::string(line));
  }
}

void TstMessages::errorReplyRoundTripsWithoutAnId() {
  const ErrorReply known = throughTheWire(ErrorReply{"4", "no such image"});
  QCOMPARE(known.id, std::string("4"));
  QCOMPARE(known.message, std::string("no such image"));
  QCOMPARE(throughTheWire(ErrorReply{"", "not JSON"}).id, std::string());
  QVERIFY(wire(EngineMessage(ErrorReply{"", "not JSON"}))["id"].is_null());
}

void TstMessages::wireNamesAreThoseOfTheContract() {
  const auto type = [](const EngineMessage& message) {
    return wire(message)["type"].get<std::string>();
  };
  QVERIFY(wire(ClientMessage(Hello{})) ==
          nlohmann::json::parse(R"({"v":1,"type":"hello","since":-1,"attempt":0})"));
  QVERIFY(
      wire(ClientMessage(PredictRequest{"1", {4}, {}, "last", 0.5})) ==
      nlohmann::json::parse(
          R"({"v":1,"type":"predict","id":"1","image_ids":[4],"weights":"last","score_threshold":0.5})"));
  QCOMPARE(type(Welcome{}), std::string("welcome"));
  QCOMPARE(type(Reset{}), std::string("reset"));
  QCOMPARE(type(Scalars{}), std::string("scalars"));
  QCOMPARE(type(Config{}), std::string("config"));
  QCOMPARE(type(State{}), std::string("state"));
  QCOMPARE(type(Log{}), std::string("log"));
  QCOMPARE(type(Checkpoint{}), std::string("checkpoint"));
  QCOMPARE(type(Evaluation{}), std::string("evaluation"));
  QCOMPARE(type(Predictions{}), std::string("predictions"));
  QCOMPARE(type(Alert{}), std::string("alert"));
  QCOMPARE(type(Ok{"1"}), std::string("ok"));
  QCOMPARE(type(ErrorReply{}), std::string("error"));
  QVERIFY(wire(EngineMessage(State{1, 2, 3, RunState::Failed, kError}))["error"] ==
          nlohmann::json::parse(R"(
      {"message":"rank 1 was killed","rank":1,"host":"node7","step":412,"phase":"backward",
       "collective":"all_reduce 5","cause":"signal 9"})"));
}

void TstMessages::eventsHaveNeitherVersionNorSeq() {
  QCOMPARE(encodeEvent(Checkpoint{9, 8, 7, "checkpoints/step-00000008", true}),
           std::string(R"({"type":"checkpoint","path":"checkpoints/step-00000008","best":true})"));
  QCOMPARE(encodeEvent(State{9, 8, 7, RunState::Running, {}}),
           std::string(R"({"type":"state","state":"running","error":null})"));
}

void TstMessages::eventsTakeSeqStepAndTimeOfTheirRecord() {
  const std::vector<Event> events = {
      State{1, 2, 3.5, RunState::Failed, kError},
      Log{1, 2, 3.5, base::LogLevel::Warning, "slow", base::OpenEnum<LogKind>("x")},
      Checkpoint{1, 2, 3.5, "c", true}, Evaluation{1, 2, 3.5, "e"}, Predictions{1, 2, 3.5, "p"}};
  for (const Event& event : events) {
    const Event decoded = decodeEvent(encodeEvent(event), 1, 2, 3.5);
    QCOMPARE(lineOf(decoded), lineOf(event));
  }
  QVERIFY_EXCEPTION_THROWN(decodeEvent("{}", 0, 0, 0), Error);
  QVERIFY_EXCEPTION_THROWN(decodeEvent("[]", 0, 0, 0), Error);
  QVERIFY_EXCEPTION_THROWN(decodeEvent(R"({"type":"state"})", 0, 0, 0), Error);
  QVERIFY_EXCEPTION_THROWN(decodeEvent(R"({"type":"scalars"})", 0, 0, 0), Error);
}

void TstMessages::scalarsHaveNoEventJson() {
  QVERIFY_EXCEPTION_THROWN(encodeEvent(Scalars{}), Error);
}

void TstMessages::invalidUtf8IsReplacedOnTheWayOut() {
  const std::string line = encode(EngineMessage(Log{1, 2, 3, base::LogLevel::Info, "a\xffz"}));
  QCOMPARE(std::get<Log>(decodeEngineMessage(line)).text, std::string("a\xEF\xBF\xBDz"));
}

void TstMessages::unknownMembersAreIgnored() {
  const auto message = decodeClientMessage(R"({"v":1,"type":"stop","id":"1","later":{"a":[]}})");
  QCOMPARE(std::get<Command>(message).name, CommandName::Stop);
}

LOCKSTEP_TEST(TstMessages)
#include "tst_messages.moc"
