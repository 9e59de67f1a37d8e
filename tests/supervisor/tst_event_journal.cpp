#include <QTemporaryDir>
#include <QTest>

#include "engine/base/error.h"
#include "engine/events/reader.h"
#include "engine/supervisor/event_journal.h"
#include "tests/support/resource_limits.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using supervisor::EventJournal;

class TstEventJournal : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void recordsWaitForAFullDisk() {
    const QTemporaryDir folder;
    std::vector<events::Alert> alerts;
    EventJournal journal(folder.path().toStdString(), std::nullopt,
                         [&](const events::Alert& alert) { alerts.push_back(alert); });
    journal.appendScalars(1, 1, {{"train/loss_total", 1.0f}});
    const auto newest = journal.newestSeq();
    {
      const tests::FullDisk full(std::filesystem::file_size(journal.path()));
      for (int step = 2; step <= 50; ++step)
        journal.appendScalars(step, step, {{"train/loss_total", 1.0f}});
      QVERIFY(!journal.retry());
      QVERIFY_THROWS_EXCEPTION(Error, journal.sync());
    }
    QCOMPARE(alerts.size(), std::size_t{1});  // at once, and not again for every record
    QCOMPARE(alerts[0].kind, std::string("write_failed"));
    QCOMPARE(alerts[0].step, std::int64_t{2});
    QCOMPARE(journal.newestSeq(), newest);
    QVERIFY(journal.retry());
    journal.sync();
    auto records = events::Reader(journal.path()).readAvailable();
    QCOMPARE(records.size(), std::size_t{52});
    events::AlertDetector replayed;
    for (const events::Record& record : records) {
      for (const events::Alert& alert : replayed.add(record)) {
        QCOMPARE(record.json.find("\"log\"") != std::string::npos, true);
        QCOMPARE(alert.text, alerts[0].text);
      }
    }
    std::erase_if(records, [](const events::Record& record) {
      return record.kind == events::Record::Kind::Event;
    });
    QCOMPARE(records.size(), std::size_t{51});  // the refusal is one record
    for (std::size_t i = 1; i < records.size(); ++i)
      QCOMPARE(records[i].step, static_cast<std::int64_t>(i));
  }

  void aLaterRefusalIsToldAgain() {
    const QTemporaryDir folder;
    int alerts = 0;
    EventJournal journal(folder.path().toStdString(), std::nullopt,
                         [&](const events::Alert&) { ++alerts; });
    for (int refusal = 1; refusal <= 3; ++refusal) {
      {
        const tests::FullDisk full(std::filesystem::file_size(journal.path()));
        journal.appendScalars(refusal, refusal, {{"train/loss_total", 1.0f}});
      }
      QCOMPARE(alerts, refusal);
      QVERIFY(journal.retry());
    }
  }

  void aCutDropsWhatWaitedForTheDisk() {
    const QTemporaryDir folder;
    EventJournal journal(folder.path().toStdString(), std::nullopt, [](const events::Alert&) {});
    journal.appendScalars(1, 1, {{"a", 1.0f}});
    {
      const tests::FullDisk full(std::filesystem::file_size(journal.path()));
      for (int step = 2; step <= 9; ++step) journal.appendScalars(step, step, {{"a", 1.0f}});
    }
    journal.cutAfterStep(1);
    QCOMPARE(journal.newestStep(), std::int64_t{1});
    QCOMPARE(journal.lastRestart()->seq, std::int64_t{1});
    journal.appendScalars(2, 20, {{"a", 2.0f}});
    journal.sync();
    const auto records = events::Reader(journal.path()).readAvailable();
    QCOMPARE(records.size(), std::size_t{4});  // version, step 1, session start, step 2
    QCOMPARE(records.back().wallTime, 20.0);
  }

  void summaryFindsTheRestarts() {
    const QTemporaryDir folder;
    const std::string path = folder.path().toStdString();
    const auto onAlert = [](const events::Alert&) {};
    {
      EventJournal journal(path, std::nullopt, onAlert);
      for (int step = 1; step <= 10; ++step) journal.appendScalars(step, step, {{"a", 1.0f}});
    }
    for (const std::int64_t resumed : {6, 8}) {
      EventJournal journal(path, resumed, onAlert);
      for (std::int64_t step = resumed + 1; step <= 10; ++step)
        journal.appendScalars(step, 0, {{"a", 1.0f}});
      QCOMPARE(journal.lastRestart()->step, resumed);
      QCOMPARE(journal.firstRestart()->step, std::int64_t{6});
    }
    const auto summary = supervisor::summariseJournal(events::findEventFile(path));
    QCOMPARE(summary.firstRestart->seq, std::int64_t{6});
    QCOMPARE(summary.lastRestart->seq, std::int64_t{9});
    QCOMPARE(summary.newestStep, std::int64_t{10});
    QCOMPARE(supervisor::summariseJournal({}).newestSeq, std::int64_t{-1});
  }
};

LOCKSTEP_TEST(TstEventJournal)
#include "tst_event_journal.moc"
