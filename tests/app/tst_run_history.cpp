#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "app/runs/open/run_history.h"
#include "engine/events/event_record.h"
#include "engine/events/reader.h"
#include "tests/app/made_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunHistory;

namespace {

std::vector<events::Record> records(const QString& folder) {
  events::Reader reader(events::findEventFile(folder.toStdString()));
  return reader.readAvailable();
}

/// The record as sent over the socket.
std::optional<protocol::EngineMessage> messageOf(const events::Record& record) {
  const auto event = events::eventOf(record);
  if (!event) return std::nullopt;
  return protocol::decodeEngineMessage(protocol::lineOf(*event));
}

void compareHistories(const RunHistory& a, const RunHistory& b) {
  const std::set<std::string> ofA(a.metrics().tags().begin(), a.metrics().tags().end());
  const std::set<std::string> ofB(b.metrics().tags().begin(), b.metrics().tags().end());
  QVERIFY(ofA == ofB);
  for (const std::string& tag : a.metrics().tags()) {
    const auto *x = a.metrics().series(tag), *y = b.metrics().series(tag);
    QCOMPARE(x->size(), y->size());
    for (std::size_t i = 0; i < x->size(); ++i) {
      QCOMPARE(x->value(i), y->value(i));
      QCOMPARE(x->step(i), y->step(i));
    }
  }
  QCOMPARE(a.log().size(), b.log().size());
  QCOMPARE(a.checkpoints().size(), b.checkpoints().size());
  QCOMPARE(a.evaluationSteps(), b.evaluationSteps());
  QCOMPARE(a.alerts().size(), b.alerts().size());
  QCOMPARE(a.lastSeq(), b.lastSeq());
}

}  // namespace

class TstRunHistory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void anySplitBetweenFileAndSocketGivesTheSame_data() {
    QTest::addColumn<int>("fromFile");
    QTest::addColumn<int>("overlap");
    QTest::newRow("all from the file") << 10000 << 0;
    QTest::newRow("all live") << 1 << 0;
    QTest::newRow("half") << 30 << 0;
    QTest::newRow("the socket repeats ten") << 30 << 10;
  }
  void anySplitBetweenFileAndSocketGivesTheSame() {
    QFETCH(int, fromFile);
    QFETCH(int, overlap);
    QTemporaryDir parent;
    const auto all = records(tests::makeRun(parent.path(), {}));
    RunHistory whole, divided;
    for (const auto& record : all) whole.add(record);
    for (const auto& record : all)
      if (record.seq < fromFile) divided.add(record);
    for (const auto& record : all)
      if (const auto message = messageOf(record); message && record.seq >= fromFile - overlap)
        QCOMPARE(divided.add(*message), record.seq >= fromFile);
    compareHistories(whole, divided);
    QCOMPARE(whole.metrics().series("train/loss_total")->size(), std::size_t{40});
    QCOMPARE(whole.evaluationSteps(), (std::vector<std::int64_t>{10, 20, 30, 40}));
    QCOMPARE(whole.state()->state.text(), std::string("finished"));
  }

  void aResetDropsLaterStepsAndTheRunContinues() {
    QTemporaryDir parent;
    const auto all = records(tests::makeRun(parent.path(), {}));
    RunHistory history;
    for (const auto& record : all) history.add(record);
    std::int64_t seqAtTwenty = 0;
    for (const auto& record : all)
      if (record.step <= 20 && record.kind == events::Record::Kind::Scalars)
        seqAtTwenty = record.seq;
    QVERIFY(history.add(protocol::Reset{seqAtTwenty, 20}));
    QCOMPARE(history.metrics().series("train/loss_total")->size(), std::size_t{20});
    QCOMPARE(history.lastSeq(), seqAtTwenty);
    QCOMPARE(history.evaluationSteps(), (std::vector<std::int64_t>{10, 20}));
    QVERIFY(
        history.add(protocol::Scalars{seqAtTwenty + 2, 21, 1.8e9, {{"train/loss_total", 7.F}}}));
    QCOMPARE(history.metrics().series("train/loss_total")->value(20), 7.F);
  }

  void progressLinesAreThoseOfTheEngine() {
    RunHistory history;
    history.add(protocol::Config{0, 0, 0, "monitor: {log_every: 5}\n"});
    for (std::int64_t step = 1; step <= 40; ++step)
      history.add(protocol::Scalars{
          step, step, 100. + static_cast<double>(step), {{"train/loss_total", 1.F}}});
    std::vector<std::int64_t> steps;
    for (const app::LogEntry& line : history.log()) steps.push_back(line.step);
    QCOMPARE(steps, (std::vector<std::int64_t>{5, 15, 25, 35}));
  }

  void onlyTheLastBestCheckpointIsTheBest() {
    RunHistory history;
    history.add(protocol::Checkpoint{1, 10, 0, "a", true});
    history.add(protocol::Checkpoint{2, 20, 0, "b", true});
    history.add(protocol::Checkpoint{3, 30, 0, "c", false});
    QVERIFY(!history.checkpoints()[0].best && history.checkpoints()[1].best &&
            !history.checkpoints()[2].best);
  }

  void anUnreadableEventIsReportedInTheLog() {
    RunHistory history;
    events::Record record;
    record.seq = 1;
    record.kind = events::Record::Kind::Event;
    record.json = "{\"type\": \"from the future\"}";
    history.add(record);
    QCOMPARE(history.log().size(), std::size_t{1});
    QCOMPARE(history.log()[0].level, app::LogEntry::Level::Warning);
  }

  void aSessionStartOfAForeignLogCutsTheOrphans() {
    RunHistory history;
    auto scalars = [](std::int64_t seq, std::int64_t step) {
      events::Record record;
      record.seq = seq;
      record.step = step;
      record.kind = events::Record::Kind::Scalars;
      record.scalars = {{"train/loss_total", 1.F}};
      return record;
    };
    for (std::int64_t step = 1; step <= 5; ++step) history.add(scalars(step, step));
    events::Record start;
    start.seq = 6;
    start.step = 4;
    start.kind = events::Record::Kind::SessionStart;
    history.add(start);
    QCOMPARE(history.metrics().series("train/loss_total")->size(), std::size_t{3});
  }

  /// As records and as views of them.
  void aSessionStartThatNamesTagsCutsThoseAlone() {
    const std::vector<std::string> tags{"train/loss_total", "solver/lr", "epoch"};
    for (const bool areViews : {false, true}) {
      RunHistory history;
      std::int64_t seq = 0;
      const auto add = [&](events::Record::Kind kind, std::int64_t step,
                           const std::vector<events::ScalarView>& scalars) {
        events::Record record;
        record.seq = seq++;
        record.step = step;
        record.kind = kind;
        for (const auto& [tag, value] : scalars) record.scalars.emplace_back(tags[tag], value);
        if (areViews)
          history.add({record.seq, 0, step, kind, scalars, {}}, tags);
        else
          history.add(record);
      };
      using enum events::Record::Kind;
      for (std::int64_t step = 1; step <= 5; ++step) add(Scalars, step, {{0, 1}, {1, 2}, {2, 3}});
      add(SessionStart, 4, {{0, 0}, {1, 0}});
      for (std::int64_t step = 4; step <= 6; ++step) add(Scalars, step, {{0, 7}, {1, 8}});
      const app::MetricStore& metrics = history.metrics();
      for (const auto& [tag, last] : {std::pair{tags[0], 7.0}, std::pair{tags[1], 8.0}}) {
        QCOMPARE(metrics.series(tag)->size(), std::size_t{6});
        QCOMPARE(metrics.series(tag)->step(3), std::int64_t{4});
        QCOMPARE(*metrics.lastValue(tag), last);
      }
      QCOMPARE(metrics.series("epoch")->size(), std::size_t{5});
      QCOMPARE(metrics.series("epoch")->step(4), std::int64_t{5});
      QCOMPARE(metrics.lastStep(), std::int64_t{6});
      add(SessionStart, 3, {{0, 0}, {1, 0}});
      QCOMPARE(metrics.lastStep(), std::int64_t{5});
    }
  }
};

LOCKSTEP_TEST(TstRunHistory)
#include "tst_run_history.moc"
