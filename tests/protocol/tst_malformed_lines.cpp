#include <QTest>
#include <random>

#include "engine/protocol/messages.h"
#include "engine/protocol/worker_messages.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::protocol;

namespace {

void addLine(const char* name, const char* line, const char* words) {
  QTest::newRow(name) << QByteArray(line) << QString::fromUtf8(words);
}

/// The Error's text, empty when nothing is thrown.
template <typename Decode>
QString refusal(Decode decode, const QByteArray& line) {
  try {
    decode(std::string_view(line.constData(), static_cast<std::size_t>(line.size())));
    return {};
  } catch (const Error& error) {
    return QString::fromUtf8(error.what());
  }
}

}  // namespace

class TstMalformedLines : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void errorsOfClientLinesAreDescribed_data();
  void errorsOfClientLinesAreDescribed();
  void errorsOfEngineLinesAreDescribed_data();
  void errorsOfEngineLinesAreDescribed();
  void errorsOfWorkerLinesAreDescribed_data();
  void errorsOfWorkerLinesAreDescribed();
  void anotherVersionIsAVersionMismatch();
  void theIdOfALineThatDoesNotDecodeIsFound();
  void everyTruncatedLineIsAnError();
  void mutatedLinesDecodeOrAreErrors();
};

void TstMalformedLines::errorsOfClientLinesAreDescribed_data() {
  QTest::addColumn<QByteArray>("line");
  QTest::addColumn<QString>("words");
  addLine("empty", "", "invalid JSON");
  addLine("no JSON", "pause", "invalid JSON");
  addLine("a list", "[]", "must be a JSON object, not a list");
  addLine("no version", R"({"type":"pause","id":"1"})", "v is missing");
  addLine("version 2", R"({"v":2,"type":"pause","id":"1"})", "protocol version 2 is not supported");
  addLine("version as text", R"({"v":"1","type":"pause","id":"1"})", "expected 1");
  addLine("version 1.0", R"({"v":1.0,"type":"pause","id":"1"})", "expected 1");
  addLine("no type", R"({"v":1,"id":"1"})", "type is missing");
  addLine("type is a number", R"({"v":1,"type":3})", "type must be a string, not a number");
  addLine("unknown type", R"({"v":1,"type":"dance","id":"1"})", "type 'dance' is not known");
  addLine("empty type", R"({"v":1,"type":"","id":"1"})", "type '' is not known");
  addLine("an engine's type", R"({"v":1,"type":"welcome","id":"1"})", "type 'welcome'");
  addLine("no id", R"({"v":1,"type":"pause"})", "pause: id is missing");
  addLine("id is null", R"({"v":1,"type":"pause","id":null})", "pause: id must be");
  addLine("id is empty", R"({"v":1,"type":"pause","id":""})", "pause: id must be");
  addLine("id is a fraction", R"({"v":1,"type":"pause","id":1.5})", "pause: id must be");
  addLine("id is a list", R"({"v":1,"type":"pause","id":[1]})", "pause: id must be");
  addLine("id begins with the mark", R"({"v":1,"type":"pause","id":"\u001f5"})", "id must be");
  addLine("hello without since", R"({"v":1,"type":"hello","attempt":1})",
          "hello: since is missing");
  addLine("since is a text", R"({"v":1,"type":"hello","since":"1","attempt":1})",
          "hello: since must be an integer, not a string");
  addLine("since is a fraction", R"({"v":1,"type":"hello","since":1.5,"attempt":1})",
          "hello: since must be a 64-bit integer");
  addLine("since is too large", R"({"v":1,"type":"hello","since":9223372036854775808,"attempt":1})",
          "hello: since must be a 64-bit integer");
  addLine("attempt is too large", R"({"v":1,"type":"hello","since":1,"attempt":4294967296})",
          "hello: attempt must be a 32-bit integer");
  addLine("predict nothing", R"({"v":1,"type":"predict","id":"1"})",
          "exactly one of image_ids, paths and split");
  addLine("predict both", R"({"v":1,"type":"predict","id":"1","image_ids":[1],"paths":["a"]})",
          "exactly one of image_ids, paths and split");
  addLine("predict an id text", R"({"v":1,"type":"predict","id":"1","image_ids":["1"]})",
          "image_ids must be an integer, not a string");
  addLine("predict no list", R"({"v":1,"type":"predict","id":"1","image_ids":1})",
          "image_ids must be a list, not a number");
  addLine("threshold above 1",
          R"({"v":1,"type":"predict","id":"1","image_ids":[1],"score_threshold":1.1})",
          "score_threshold must be between 0 and 1");
  addLine("queue without position", R"({"v":1,"type":"queue","id":"1"})",
          "queue: position is missing");
  addLine("queue without id", R"({"v":1,"type":"queue","position":1})", "queue: id is missing");
  addLine("file without path", R"({"v":1,"type":"file","id":"1"})", "file: path is missing");
  addLine("file without id", R"({"v":1,"type":"file","path":"a"})", "file: id is missing");
  addLine("a negative offset", R"({"v":1,"type":"file","id":"1","path":"a","offset":-1})",
          "file: offset must be at least 0");
  for (const char* position : {"0", "-1", "-2147483648"}) {
    const QByteArray line = QByteArray(R"({"v":1,"type":"queue","id":"1","position":)") + position;
    QTest::newRow(position) << line + '}' << "queue: position must be at least 1";
  }
  for (const char* position : {"\"1\"", "1.5", "null", "[1]", "true", "2147483648"}) {
    const QByteArray line = QByteArray(R"({"v":1,"type":"queue","id":"1","position":)") + position;
    QTest::newRow(position) << line + '}' << "queue: position must be";
  }
  addLine("threshold NaN",
          R"({"v":1,"type":"predict","id":"1","image_ids":[1],"score_threshold":"NaN"})",
          "score_threshold must be between 0 and 1");
}

void TstMalformedLines::errorsOfClientLinesAreDescribed() {
  QFETCH(QByteArray, line);
  QFETCH(QString, words);
  const QString refused = refusal(decodeClientMessage, line);
  QVERIFY2(refused.contains(words), qPrintable(refused));
}

void TstMalformedLines::errorsOfEngineLinesAreDescribed_data() {
  QTest::addColumn<QByteArray>("line");
  QTest::addColumn<QString>("words");
  addLine("a client's type", R"({"v":1,"type":"hello","since":1,"attempt":1})", "type 'hello'");
  addLine("scalars without values", R"({"v":1,"type":"scalars","seq":1,"step":1,"time":1})",
          "scalars: values is missing");
  addLine("values is a list", R"({"v":1,"type":"scalars","seq":1,"step":1,"time":1,"values":[]})",
          "values must be an object, not a list");
  addLine("a value is a text",
          R"({"v":1,"type":"scalars","seq":1,"step":1,"time":1,"values":{"a/b":"1"}})",
          "values: a/b must be a number");
  addLine("error is a text",
          R"({"v":1,"type":"state","seq":1,"step":1,"time":1,"state":"x","error":"y"})",
          "state: error must be an object, not a string");
  addLine("error without rank",
          R"({"v":1,"type":"state","seq":1,"step":1,"time":1,"state":"x","error":{"message":"m"}})",
          "state: error: rank is missing");
  addLine("best is a number",
          R"({"v":1,"type":"checkpoint","seq":1,"step":1,"time":1,"path":"p","best":1})",
          "checkpoint: best must be a boolean, not a number");
  addLine("ok without id", R"({"v":1,"type":"ok"})", "ok: id is missing");
  addLine("error without id", R"({"v":1,"type":"error","message":"m"})", "error: id is missing");
}

void TstMalformedLines::errorsOfEngineLinesAreDescribed() {
  QFETCH(QByteArray, line);
  QFETCH(QString, words);
  const QString refused = refusal(decodeEngineMessage, line);
  QVERIFY2(refused.contains(words), qPrintable(refused));
}

void TstMalformedLines::errorsOfWorkerLinesAreDescribed_data() {
  QTest::addColumn<QByteArray>("line");
  QTest::addColumn<QString>("words");
  addLine("no JSON", "Segmentation fault", "invalid JSON");
  addLine("unknown type", R"({"v":1,"type":"pause","id":"1"})", "type 'pause'");
  addLine("heartbeat without phase",
          R"({"v":1,"type":"heartbeat","rank":0,"step":1,"collective":""})",
          "heartbeat: phase is missing");
  addLine("records hold a number", R"({"v":1,"type":"scalar_batch","records":[1]})",
          "scalar_batch: records must be an object, not a number");
  addLine("another work",
          R"({"v":1,"type":"finished","step":1,"stopped":false,"result":{"kind":"dance"}})",
          "finished: result: kind 'dance' is not known");
  addLine(
      "best value is true",
      R"({"v":1,"type":"evaluation_ready","step":1,"partial":"p","best_metric":"m","best_value":true})",
      "best_value must be a number");
}

void TstMalformedLines::errorsOfWorkerLinesAreDescribed() {
  QFETCH(QByteArray, line);
  QFETCH(QString, words);
  const QString refused = refusal(decodeWorkerMessage, line);
  QVERIFY2(refused.contains(words), qPrintable(refused));
  QVERIFY(!refusal(decodeSupervisorMessage, line).isEmpty());
}

void TstMalformedLines::anotherVersionIsAVersionMismatch() {
  QVERIFY_EXCEPTION_THROWN(decodeClientMessage(R"({"v":2,"type":"new"})"), VersionMismatch);
  QVERIFY_EXCEPTION_THROWN(decodeEngineMessage(R"({"type":"ok","id":"1"})"), VersionMismatch);
  try {
    decodeClientMessage(R"({"v":1,"type":"new"})");
    QFAIL("accepted");
  } catch (const VersionMismatch&) {
    QFAIL("taken for another version");
  } catch (const Error&) {
  }
}

void TstMalformedLines::theIdOfALineThatDoesNotDecodeIsFound() {
  QCOMPARE(requestIdOf(R"({"v":1,"type":"dance","id":"x"})"), std::string("x"));
  QCOMPARE(requestIdOf(R"({"id":"x"})"), std::string("x"));
  QCOMPARE(requestIdOf(R"({"v":1,"type":"dance"})"), std::string());
  QCOMPARE(requestIdOf(R"({"id":{}})"), std::string());
  QCOMPARE(requestIdOf(R"({"id":"x")"), std::string());
  QCOMPARE(requestIdOf("[\"id\"]"), std::string());
  QCOMPARE(requestIdOf(std::string(R"({"id":")") + std::string(kMaxIdBytes + 1, 'x') + "\"}"),
           std::string());
}

void TstMalformedLines::everyTruncatedLineIsAnError() {
  const std::string line = encode(EngineMessage(Scalars{1, 2, 3.5, {{"a", 1.5f}, {"b", 2.0f}}}));
  QVERIFY(refusal(decodeEngineMessage, QByteArray::fromStdString(line)).isEmpty());
  for (std::size_t bytes = 0; bytes < line.size(); ++bytes) {
    QVERIFY(
        !refusal(decodeEngineMessage, QByteArray::fromStdString(line.substr(0, bytes))).isEmpty());
  }
}

/// Whatever comes, a decoder returns or throws Error: nothing else leaves it.
void TstMalformedLines::mutatedLinesDecodeOrAreErrors() {
  const RunError error{"m", 1, "h", 2, Phase::Data, "c", FailureCause::Stalled};
  const std::vector<std::string> seeds = {
      encode(ClientMessage(Hello{3, 1})),
      encode(ClientMessage(PredictRequest{"1", {1, 2}, {}, "best", 0.5})),
      encode(ClientMessage(PredictRequest{.id = "1", .split = Split::Val})),
      encode(ClientMessage(ExplainRequest{.id = "1", .imageId = 4, .weights = "best"})),
      encode(ClientMessage(ExplainRequest{.id = "1", .path = "a.png"})),
      encode(ClientMessage(CancelRequest{"1"})),
      encode(ClientMessage(QueueRequest{"1", 2})),
      encode(ClientMessage(FileRequest{"1", "config.yaml", 3})),
      encode(EngineMessage(Ok{"1", FilePart{7, 1.5, "content"}})),
      encode(EngineMessage(State{1, 2, 3.5, RunState::Failed, error})),
      encode(EngineMessage(Scalars{1, 2, 3.5, {{"a/b", 1.5f}, {"c", 2e-9f}}})),
      encode(EngineMessage(Ok{"1", RunStatus{.ranks = {{0, 1, Phase::Data}}}})),
      encode(SupervisorMessage(Job{})),
      encode(WorkerMessage(ScalarBatch{{{0, 1, 2.5, {{"a", 1.0f}}}, {0, 2, 3.5, {}}}})),
      encode(WorkerMessage(EvaluationReady{1, "p", "m", 0.5}))};
  std::mt19937 random(11);
  const char interesting[] = "{}[]\",:\\0919eE-+.tfn \xff\x80\x1f";
  int accepted = 0, refused = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    QByteArray line = QByteArray::fromStdString(seeds[trial % seeds.size()]);
    const int changes = 1 + static_cast<int>(random() % 4);
    for (int change = 0; change < changes; ++change) {
      const int at = static_cast<int>(random() % static_cast<unsigned>(line.size()));
      const char byte = interesting[random() % (sizeof interesting - 1)];
      switch (random() % 4) {
        case 0:
          line[at] = byte;
          break;
        case 1:
          line.insert(at, byte);
          break;
        case 2:
          line.remove(at, 1 + static_cast<int>(random() % 8));
          break;
        default:
          line.insert(at, line.mid(at, static_cast<int>(random() % 20)));
      }
      if (line.isEmpty()) line = "{";
    }
    const bool isRefused = !refusal(decodeClientMessage, line).isEmpty() &&
                           !refusal(decodeEngineMessage, line).isEmpty() &&
                           !refusal(decodeSupervisorMessage, line).isEmpty() &&
                           !refusal(decodeWorkerMessage, line).isEmpty();
    (isRefused ? refused : accepted)++;
    requestIdOf({line.constData(), static_cast<std::size_t>(line.size())});
  }
  QVERIFY(refused > 1000 && accepted > 50);
}

LOCKSTEP_TEST(TstMalformedLines)
#include "tst_malformed_lines.moc"
