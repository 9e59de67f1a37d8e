#include <QTemporaryDir>
#include <QTest>
#include <cmath>

#include "engine/base/error.h"
#include "engine/events/event_record.h"
#include "engine/events/reader.h"
#include "engine/supervisor/event_log.h"
#include "tests/support/append_scalars.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using supervisor::EventLog;

namespace {

void ignoreAlert(const protocol::Alert&) {}

protocol::State failedWith(const char* reason) {
  protocol::State state;
  state.state = protocol::RunState::Failed;
  state.error.emplace().message = reason;
  return state;
}

std::vector<protocol::Alert> alertsOf(const std::vector<events::Record>& records) {
  std::vector<protocol::Alert> alerts;
  for (const events::Record& record : records) {
    const auto event = events::eventOf(record);
    const auto* alert = event ? std::get_if<protocol::Alert>(&*event) : nullptr;
    if (alert != nullptr) alerts.push_back(*alert);
  }
  return alerts;
}

std::vector<protocol::Alert> alertsIn(const std::filesystem::path& eventFile) {
  return alertsOf(events::Reader(eventFile).readAvailable());
}

}  // namespace

class TstEventJournal : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void recordsArePendingWhileTheDiskIsFull() {
    const QTemporaryDir folder;
    std::vector<protocol::Alert> alerts;
    EventLog eventLog(folder.path().toStdString(), std::nullopt,
                      [&](const protocol::Alert& alert) { alerts.push_back(alert); });
    tests::appendScalars(eventLog, 1, 1, {{"train/loss_total", 1.0f}});
    const auto newest = eventLog.newestSeq();
    {
      const tests::FullDisk full(std::filesystem::file_size(eventLog.path()));
      for (int step = 2; step <= 50; ++step)
        tests::appendScalars(eventLog, step, step, {{"train/loss_total", 1.0f}});
      QVERIFY(!eventLog.retry());
      QVERIFY_THROWS_EXCEPTION(Error, eventLog.sync());
    }
    QCOMPARE(alerts.size(), std::size_t{1});  // at once, and not again for every record
    QCOMPARE(alerts[0].kind.text(), std::string("write_failed"));
    QCOMPARE(alerts[0].step, std::int64_t{2});
    const auto pending = eventLog.pending();
    QCOMPARE(pending.size(), std::size_t{51});  // 49 steps, the refusal, its alert
    QCOMPARE(eventLog.newestSeq(), newest + 51);
    QVERIFY(eventLog.retry());
    eventLog.sync();
    auto records = events::Reader(eventLog.path()).readAvailable();
    QCOMPARE(records.size(), std::size_t{53});
    for (std::size_t i = 0; i < pending.size(); ++i) {
      QCOMPARE(records[i + 2].seq, protocol::seqOf(pending[i]));
      QCOMPARE(records[i + 2].json, events::recordOf(pending[i]).json);
    }
    QCOMPARE(alertsOf(records).size(), std::size_t{1});
    QCOMPARE(alertsOf(records)[0].text, alerts[0].text);
    std::erase_if(records, [](const events::Record& record) {
      return record.kind == events::Record::Kind::Event;
    });
    QCOMPARE(records.size(), std::size_t{51});  // the refusal and its alert are one record each
    for (std::size_t i = 1; i < records.size(); ++i)
      QCOMPARE(records[i].step, static_cast<std::int64_t>(i));
  }

  void anAlertFollowsItsRecord() {
    const QTemporaryDir folder;
    EventLog eventLog(folder.path().toStdString(), std::nullopt, ignoreAlert);
    tests::appendScalars(eventLog, 1, 1, {{"train/loss_total", 1.0f}});
    tests::appendScalars(eventLog, 2, 7, {{"train/loss_total", std::nanf("")}});
    tests::appendScalars(eventLog, 3, 8, {{"train/loss_total", std::nanf("")}});
    const auto records = events::Reader(eventLog.path()).readAvailable();
    const auto alerts = alertsOf(records);
    QCOMPARE(alerts.size(), std::size_t{1});
    QCOMPARE(alerts[0].kind.text(), std::string("non_finite"));
    QCOMPARE(alerts[0].seq, std::int64_t{3});
    QCOMPARE(alerts[0].step, std::int64_t{2});
    QCOMPARE(alerts[0].time, 7.0);
    QCOMPARE(records[2].step, std::int64_t{2});
    QCOMPARE(eventLog.newestSeq(), std::int64_t{4});
  }

  /// Killed between the record and its alert, or written by a program that wrote none.
  void aResumeWritesMissingAlertsOnce() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    {
      auto writer = events::Writer::open(path);
      events::Record record;
      record.kind = events::Record::Kind::Scalars;
      for (record.step = 1; record.step <= 6; ++record.step) {
        record.scalars = {{"train/loss_total", record.step == 2 ? std::nanf("") : 1.0f}};
        writer.append(record);
      }
    }
    for (const std::int64_t resumed : {4, 5, 3}) {
      std::vector<protocol::Alert> told;
      EventLog eventLog(path, resumed,
                        [&](const protocol::Alert& alert) { told.push_back(alert); });
      const auto alerts = alertsIn(eventLog.path());
      QCOMPARE(alerts.size(), std::size_t{1});
      QCOMPARE(alerts[0].step, std::int64_t{2});
      // The second goes on behind the first's alert, the third cuts it.
      QCOMPARE(told.size(), resumed == 5 ? std::size_t{0} : std::size_t{1});
      QCOMPARE(eventLog.newestStep(), resumed);
      tests::appendScalars(eventLog, resumed + 1, 9, {{"train/loss_total", 1.0f}});
    }
  }

  void aCutForgetsLaterAlerts() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    EventLog eventLog(path, std::nullopt, ignoreAlert);
    tests::appendScalars(eventLog, 1, 1, {{"train/loss_total", 1.0f}});
    tests::appendScalars(eventLog, 2, 2, {{"train/loss_total", std::nanf("")}});
    eventLog.truncateAfterStep(1);
    QCOMPARE(alertsIn(eventLog.path()).size(), std::size_t{0});
    tests::appendScalars(eventLog, 2, 3, {{"train/loss_total", std::nanf("")}});
    QCOMPARE(alertsIn(eventLog.path()).size(), std::size_t{1});
  }

  /// The same fault after a resume is an alert again: the log of both sessions has two.
  void everySessionHasItsOwnAlerts() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    for (const std::int64_t step : {2, 4}) {
      EventLog eventLog(path, step == 2 ? std::nullopt : std::optional<std::int64_t>(3),
                        ignoreAlert);
      tests::appendScalars(eventLog, step - 1, 1, {{"train/loss_total", 1.0f}});
      tests::appendScalars(eventLog, step, 2, {{"train/loss_total", std::nanf("")}});
    }
    const auto summary = supervisor::summariseEventLog(EventLog(path, 9, ignoreAlert).path());
    QCOMPARE(alertsIn(EventLog(path, 9, ignoreAlert).path()).size(), std::size_t{2});
    QCOMPARE(summary.unrecordedAlerts.size(), std::size_t{0});
  }

  /// A run that fails and is gone on with has failed all the same.
  void aCutKeepsAlertsOfFailedAttempts() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    std::vector<protocol::Alert> told;
    const auto note = [&](const protocol::Alert& alert) { told.push_back(alert); };
    {
      EventLog eventLog(path, std::nullopt, note);
      for (int step = 1; step <= 17; ++step)
        tests::appendScalars(eventLog, step, step, {{"a", 1.0f}});
      eventLog.appendEvent(failedWith("first"), 17, 100);
    }
    {
      EventLog eventLog(path, 15, note);
      tests::appendScalars(eventLog, 16, 101, {{"a", 1.0f}});
      {
        const tests::FullDisk full(std::filesystem::file_size(eventLog.path()));
        eventLog.appendEvent(failedWith("second"), 16, 102);
      }
      eventLog.truncateAfterStep(12);  // what waited for the disk counts as well
    }
    const EventLog eventLog(path, 14, note);
    const auto alerts = alertsIn(eventLog.path());
    QCOMPARE(alerts.size(), std::size_t{2});
    QCOMPARE(alerts[0].text, std::string("first"));
    QCOMPARE(alerts[1].text, std::string("second"));
    QCOMPARE(alerts[0].to, std::int64_t{17});
    QCOMPARE(alerts[0].time, 100.0);
    QCOMPARE(alerts[0].step, std::int64_t{12});
    std::erase_if(told, [](const protocol::Alert& alert) {
      return alert.kind != protocol::AlertKind::RunFailed;
    });
    QCOMPARE(told.size(), std::size_t{2});  // none of them again
  }

  void aLaterWriteFailureIsReportedAgain() {
    const QTemporaryDir folder;
    int alerts = 0;
    EventLog eventLog(folder.path().toStdString(), std::nullopt,
                      [&](const protocol::Alert&) { ++alerts; });
    for (int refusal = 1; refusal <= 3; ++refusal) {
      {
        const tests::FullDisk full(std::filesystem::file_size(eventLog.path()));
        tests::appendScalars(eventLog, refusal, refusal, {{"train/loss_total", 1.0f}});
      }
      QCOMPARE(alerts, refusal);
      QVERIFY(eventLog.retry());
    }
  }

  void aCutDropsPendingRecords() {
    const QTemporaryDir folder;
    EventLog eventLog(folder.path().toStdString(), std::nullopt, ignoreAlert);
    tests::appendScalars(eventLog, 1, 1, {{"a", 1.0f}});
    {
      const tests::FullDisk full(std::filesystem::file_size(eventLog.path()));
      for (int step = 2; step <= 9; ++step)
        tests::appendScalars(eventLog, step, step, {{"a", 1.0f}});
    }
    eventLog.truncateAfterStep(1);
    QCOMPARE(eventLog.newestStep(), std::int64_t{1});
    QCOMPARE(eventLog.lastRestart()->seq, std::int64_t{1});
    tests::appendScalars(eventLog, 2, 20, {{"a", 2.0f}});
    eventLog.sync();
    const auto records = events::Reader(eventLog.path()).readAvailable();
    QCOMPARE(records.size(), std::size_t{4});  // version, step 1, session start, step 2
    QCOMPARE(records.back().wallTime, 20.0);
  }

  void summaryFindsTheRestarts() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    {
      EventLog eventLog(path, std::nullopt, ignoreAlert);
      for (int step = 1; step <= 10; ++step)
        tests::appendScalars(eventLog, step, step, {{"a", 1.0f}});
    }
    for (const std::int64_t resumed : {6, 8}) {
      EventLog eventLog(path, resumed, ignoreAlert);
      for (std::int64_t step = resumed + 1; step <= 10; ++step)
        tests::appendScalars(eventLog, step, 0, {{"a", 1.0f}});
      QCOMPARE(eventLog.lastRestart()->step, resumed);
      QCOMPARE(eventLog.firstRestart()->step, std::int64_t{6});
    }
    const auto summary = supervisor::summariseEventLog(events::findEventFile(path));
    QCOMPARE(summary.firstRestart->seq, std::int64_t{6});
    QCOMPARE(summary.lastRestart->seq, std::int64_t{9});
    QCOMPARE(summary.newestStep, std::int64_t{10});
    QCOMPARE(supervisor::summariseEventLog({}).newestSeq, std::int64_t{-1});
  }
};

LOCKSTEP_TEST(TstEventJournal)
#include "tst_event_journal.moc"
