#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "tests/run_folder/run_samples.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::run_folder;
using namespace lockstep::tests;
using nlohmann::json;

class TstRunInfo : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everythingRoundTrips();
  void memberNamesAreThoseOfTheContract();
  void absentBestAndErrorAreNull();
  void aRunOfAnEarlierVersionHasNoStepsPerEpoch();
  void aNonFiniteBestRoundTrips();
  void everyMissingMemberIsNamed();
  void corruptFilesAreErrors_data();
  void corruptFilesAreErrors();
  void aMissingFileIsRefused();
  void writingReplacesTheWholeFile();

 private:
  RunInfo throughTheFile(const RunInfo& info) const {
    writeRunInfo(layout_, info);
    return readRunInfo(layout_);
  }

  QTemporaryDir folder_;
  Layout layout_{folder_.path().toStdString()};
};

void TstRunInfo::everythingRoundTrips() {
  RunInfo sent = sampleInfo();
  sent.finished = 1764000200;
  sent.stepsPerEpoch = 7.5;
  sent.isRangeTest = true;
  sent.queuePosition = 2;
  sent.forkedFrom = {"/runs/first", 200};
  sent.best = Best{"segm/AP", 0.1 + 0.2, 400};
  sent.error = protocol::RunError{"rank 1 died",
                                  1,
                                  "node8",
                                  412,
                                  protocol::Phase::Backward,
                                  "all_reduce",
                                  base::OpenEnum<protocol::FailureCause>("signal 9")};
  const RunInfo got = throughTheFile(sent);
  QCOMPARE(got.name, sent.name);
  QCOMPARE(got.state, sent.state);
  QCOMPARE(got.attempt, sent.attempt);
  QCOMPARE(got.ranks, sent.ranks);
  QCOMPARE(got.pid, sent.pid);
  QCOMPARE(got.host, sent.host);
  QCOMPARE(got.socket, sent.socket);
  QCOMPARE(got.step, sent.step);
  QCOMPARE(got.maxSteps, sent.maxSteps);
  QCOMPARE(got.stepsPerEpoch, sent.stepsPerEpoch);
  QCOMPARE(got.isRangeTest, sent.isRangeTest);
  QCOMPARE(got.queuePosition, sent.queuePosition);
  QVERIFY(got.forkedFrom == sent.forkedFrom);
  QCOMPARE(got.created, sent.created);
  QCOMPARE(got.started, sent.started);
  QCOMPARE(got.updated, sent.updated);
  QCOMPARE(got.finished, sent.finished);
  QCOMPARE(got.best->metric, sent.best->metric);
  QVERIFY(got.best->value == sent.best->value);
  QCOMPARE(got.best->step, sent.best->step);
  QCOMPARE(got.error->message, sent.error->message);
  QCOMPARE(got.error->rank, sent.error->rank);
  QCOMPARE(got.error->host, sent.error->host);
  QCOMPARE(got.error->step, sent.error->step);
  QCOMPARE(got.error->phase, sent.error->phase);
  QCOMPARE(got.error->collective, sent.error->collective);
  QCOMPARE(got.error->cause, sent.error->cause);
}

void TstRunInfo::memberNamesAreThoseOfTheContract() {
  RunInfo info = sampleInfo();
  info.best = Best{"segm/AP", 0.5, 400};
  info.stepsPerEpoch = 62.5;
  info.isRangeTest = true;
  info.queuePosition = 2;
  writeRunInfo(layout_, info);
  const json expected = json::parse(R"({
      "name": "mask_rcnn \"ü\"", "state": "running", "attempt": 3, "ranks": 2, "pid": 4711, "host": "node7",
      "socket": "/run/user/1000/lockstep/0123456789abcdef.sock", "step": 412, "max_steps": 90000,
      "steps_per_epoch": 62.5, "find_lr": true, "queue_position": 2,
      "times": {"created": 1764000000.25, "started": 1764000001.5, "updated": 1764000100.125, "finished": 0},
      "best": {"metric": "segm/AP", "value": 0.5, "step": 400}, "error": null})");
  QVERIFY(json::parse(textOf(layout_.runJson())) == expected);
}

void TstRunInfo::absentBestAndErrorAreNull() {
  const RunInfo got = throughTheFile(sampleInfo());
  QVERIFY(!got.best);
  QVERIFY(!got.error);
}

void TstRunInfo::aRunOfAnEarlierVersionHasNoStepsPerEpoch() {
  QVERIFY(!throughTheFile(sampleInfo()).stepsPerEpoch);
  QVERIFY(!json::parse(textOf(layout_.runJson())).contains("find_lr"));
  QVERIFY(!json::parse(textOf(layout_.runJson())).contains("queue_position"));
}

void TstRunInfo::aNonFiniteBestRoundTrips() {
  RunInfo info = sampleInfo();
  info.best = Best{"loss_total", std::nan(""), 400};
  QVERIFY(std::isnan(throughTheFile(info).best->value));
}

void TstRunInfo::everyMissingMemberIsNamed() {
  writeRunInfo(layout_, sampleInfo());
  const json whole = json::parse(textOf(layout_.runJson()));
  QCOMPARE(whole.size(), 12u);
  for (const auto& [name, value] : whole.items()) {
    json part = whole;
    part.erase(name);
    writeText(layout_.runJson(), part.dump());
    try {
      readRunInfo(layout_);
      QFAIL("accepted");
    } catch (const Error& error) {
      QCOMPARE(std::string(error.what()), layout_.runJson().string() + ": " + name + " is missing");
    }
  }
}

void TstRunInfo::corruptFilesAreErrors_data() {
  QTest::addColumn<QString>("member");
  QTest::addColumn<QByteArray>("value");
  QTest::addColumn<QString>("words");
  const auto row = [](const char* name, const char* member, const char* value, const char* words) {
    QTest::newRow(name) << QString::fromUtf8(member) << QByteArray(value)
                        << QString::fromUtf8(words);
  };
  row("empty", "", "", "invalid JSON");
  row("half", "", R"({"name": "a", "sta)", "invalid JSON");
  row("a list", "", "[]", "must be a JSON object, not a list");
  row("zeros", "", "\0\0\0", "invalid JSON");
  row("step is a text", "step", "\"4\"", "step must be an integer, not a string");
  row("attempt is a fraction", "attempt", "1.5", "attempt must be a 64-bit integer");
  row("an epoch of no step", "steps_per_epoch", "0", "steps_per_epoch is not > 0");
  row("no position in the queue", "queue_position", "0", "queue_position is not > 0");
  row("name is null", "name", "null", "name must be a string, not null");
  row("times is a number", "times", "3", "times must be an object, not a number");
  row("times lacks its members", "times", "{}", "times: created is missing");
  row("a clock before 1970", "times",
      R"({"created": -3600, "started": 0, "updated": 0, "finished": 0})",
      "times: created is before 1970: the clock of its machine was wrong");
  row("best is a number", "best", "0.5", "best must be an object, not a number");
  row("best without step", "best", R"({"metric":"a","value":1})", "best: step is missing");
  row("error is a text", "error", "\"why\"", "error must be an object, not a string");
  row("an unknown state", "state", "\"dancing\"", "state 'dancing' is not known");
}

void TstRunInfo::corruptFilesAreErrors() {
  QFETCH(QString, member);
  QFETCH(QByteArray, value);
  QFETCH(QString, words);
  writeRunInfo(layout_, sampleInfo());
  std::string text = value.toStdString();
  if (!member.isEmpty()) {
    json object = json::parse(textOf(layout_.runJson()));
    object[member.toStdString()] = json::parse(text);
    text = object.dump();
  }
  writeText(layout_.runJson(), text);
  try {
    readRunInfo(layout_);
    QFAIL("accepted");
  } catch (const Error& error) {
    const QString message = QString::fromUtf8(error.what());
    QVERIFY2(message.contains(words), error.what());
    QVERIFY(message.startsWith(QString::fromStdString(layout_.runJson().string())));
  }
}

void TstRunInfo::aMissingFileIsRefused() {
  const Layout nowhere(layout_.folder() / "no");
  QVERIFY_EXCEPTION_THROWN(readRunInfo(nowhere), Error);
  QVERIFY_EXCEPTION_THROWN(writeRunInfo(nowhere, sampleInfo()), Error);
}

void TstRunInfo::writingReplacesTheWholeFile() {
  RunInfo longer = sampleInfo();
  longer.name = std::string(5000, 'x');
  writeRunInfo(layout_, longer);
  writeRunInfo(layout_, sampleInfo());
  QCOMPARE(readRunInfo(layout_).name, sampleInfo().name);
  std::ptrdiff_t files =
      std::distance(fs::directory_iterator(layout_.folder()), fs::directory_iterator());
  QCOMPARE(files, 1);
}

LOCKSTEP_TEST(TstRunInfo)
#include "tst_run_info.moc"
