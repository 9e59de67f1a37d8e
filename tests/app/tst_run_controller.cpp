#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/open/run_controller.h"
#include "engine/events/writer.h"
#include "tests/app/live_run.h"
#include "tests/app/losses_of.h"
#include "tests/app/made_run.h"
#include "tests/support/file_content.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::RunController;
using tests::contentOf;
using tests::lastSeqIn;
using tests::line;
using tests::LiveRun;
using tests::lossCount;
using tests::scalars;

namespace {

void overwrite(const QString& path, const QByteArray& content) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
  file.write(content);
}

}  // namespace

class TstRunController : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aFinishedRunIsReadWithEveryPoint() {
    QTemporaryDir parent;
    RunController run(tests::makeRun(parent.path(), {}));
    QSignalSpy loaded(&run, &RunController::loaded);
    run.refresh();
    QVERIFY(loaded.wait());
    QCOMPARE(lossCount(run), std::size_t{40});
    for (std::int64_t step = 1; step <= 40; ++step)
      QCOMPARE(run.history().metrics().series("train/loss_total")->value(step - 1),
               tests::madeLoss({}, step));
    QVERIFY(!run.isAlive());
    QCOMPARE(run.linkState(), app::EngineLink::State::Off);
    QCOMPARE(QString::fromStdString(run.info().state.text()), QStringLiteral("finished"));
  }

  void theSocketContinuesWhereTheFileEnds() {
    LiveRun live;
    const std::int64_t last = lastSeqIn(live.folder);
    QVERIFY(live.engine.start(
        {line(protocol::Welcome{live.folder.toStdString(), 1, last, protocol::RunState::Running}),
         scalars(last, 20), scalars(last + 1, 21), scalars(last + 2, 22)}));
    RunController run(live.folder);
    run.refresh();
    QTRY_COMPARE(lossCount(run), std::size_t{22});
    QVERIFY(live.engine.nextLine().contains(QByteArray("\"since\":" + QByteArray::number(last))));
    QCOMPARE(run.info().step, std::int64_t{22});
    QVERIFY(run.isAlive());
    QVERIFY(run.secondsLeft().has_value());
  }

  void aResetRemovesTheCutSteps() {
    LiveRun live;
    const std::int64_t last = lastSeqIn(live.folder);
    QVERIFY(live.engine.start(
        {line(protocol::Welcome{live.folder.toStdString(), 2, last, protocol::RunState::Running}),
         line(protocol::Reset{12, 10}), scalars(14, 11)}));
    RunController run(live.folder);
    std::vector<qint64> cuts;
    connect(&run, &RunController::changed, this, [&](const app::RunChanges& changes) {
      if (changes.cutAfter) cuts.push_back(*changes.cutAfter);
    });
    run.refresh();
    QTRY_COMPARE(lossCount(run), std::size_t{11});
    QCOMPARE(cuts, std::vector<qint64>{10});
    QCOMPARE(run.history().metrics().series("train/loss_total")->value(10), 11.F);
  }

  void aRunThatEndsBetweenFileAndSocketIsReadToItsEnd() {
    LiveRun live;  // alive, but nobody listens
    RunController run(live.folder);
    QSignalSpy loaded(&run, &RunController::loaded);
    run.refresh();
    QVERIFY(loaded.wait());
    QCOMPARE(lossCount(run), std::size_t{20});
    {
      events::Writer writer = events::Writer::open(live.folder.toStdString());
      events::Record record;
      record.kind = events::Record::Kind::Scalars;
      record.step = 21;
      record.wallTime = 1.8e9;
      record.scalars = {{"train/loss_total", 0.5F}};
      writer.append(record);
    }
    live.lock.reset();
    run.refresh();
    QTRY_COMPARE(lossCount(run), std::size_t{21});
    QVERIFY(!run.isAlive());
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Off);
  }

  void resultsAreDistinguishedFromScalars() {
    LiveRun live;
    const std::int64_t last = lastSeqIn(live.folder);
    QVERIFY(live.engine.start(
        {line(protocol::Welcome{live.folder.toStdString(), 1, last, protocol::RunState::Running}),
         "@await", scalars(last + 1, 21), scalars(last + 2, 22), "@await",
         line(protocol::Predictions{last + 3, 22, 1.8e9, "predictions/step-00000022.json"})}));
    RunController run(live.folder);
    run.refresh();
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    QTRY_VERIFY(run.isLoaded());
    int results = 0;
    connect(&run, &RunController::changed, this,
            [&](const app::RunChanges& changes) { results += changes.results(); });
    run.saveCheckpoint();  // lets the scalars come
    QTRY_COMPARE(lossCount(run), std::size_t{22});
    QCOMPARE(results, 0);
    run.saveCheckpoint();
    QTRY_COMPARE(run.history().predictionSteps(), (std::vector<std::int64_t>{22}));
    QTRY_COMPARE(results, 1);  // announced with the next frame
  }

  void deletedCheckpointsCannotPredict() {
    QTemporaryDir parent;
    tests::MadeRun made;
    made.keptCheckpoints = {20, 40};
    RunController run(tests::makeRun(parent.path(), made));
    int results = 0;
    connect(&run, &RunController::changed, this,
            [&](const app::RunChanges& changes) { results += changes.results(); });
    run.refresh();
    QTRY_VERIFY(run.isLoaded());
    QCOMPARE(run.history().checkpoints().size(), std::size_t{4});
    QCOMPARE(run.checkpointSteps(), (std::vector<std::int64_t>{20, 40}));
    QCOMPARE(results, 1);
    const run_folder::Layout layout{run.folder().toStdString()};
    std::filesystem::remove_all(layout.checkpoint(20));
    run.refresh();
    QTRY_COMPARE(run.checkpointSteps(), (std::vector<std::int64_t>{40}));
    QTRY_COMPARE(results, 2);
  }

  void commandsReachTheEngineAndAPredictionNamesItsFile() {
    LiveRun live;
    const std::int64_t last = lastSeqIn(live.folder);
    QVERIFY(live.engine.start({line(
        protocol::Welcome{live.folder.toStdString(), 1, last, protocol::RunState::Running})}));
    RunController run(live.folder);
    run.refresh();
    QTRY_COMPARE(run.linkState(), app::EngineLink::State::Connected);
    QVERIFY(live.engine.nextLine().contains("hello"));
    run.stop();
    QVERIFY(live.engine.nextLine().contains(R"("type":"stop")"));
    QSignalSpy ready(&run, &RunController::predictionReady);
    run.predict({7, 20});
    QTRY_COMPARE(ready.count(), 1);
    QCOMPARE(ready[0][0].value<app::AskedPrediction>(), (app::AskedPrediction{7, 20}));
  }

  void anUnreadableLiveRunIsReportedOnceUntilItIsReadable() {
    LiveRun live;
    const QString file =
        QString::fromStdString(events::findEventFile(live.folder.toStdString()).string());
    const QString aside = live.parent.filePath(QStringLiteral("aside"));
    QVERIFY(QFile::copy(file, aside));
    overwrite(file, QByteArray(4000, 'x'));
    RunController run(live.folder);
    QSignalSpy changed(&run, &RunController::accessErrorChanged),
        read(&run, &RunController::changed);
    run.refresh();
    QTRY_VERIFY(run.accessError());
    QVERIFY2(run.accessError()->detail.contains(file), qPrintable(run.accessError()->detail));
    for (int i = 0; i < 3; ++i) {  // it is read again and again
      read.clear();
      run.refresh();
      QTRY_VERIFY(!read.isEmpty());
    }
    QCOMPARE(changed.count(), 1);
    overwrite(file, contentOf(aside));
    QTRY_VERIFY_WITH_TIMEOUT(!run.accessError(), 10000);
    QCOMPARE(changed.count(), 2);
    QCOMPARE(lossCount(run), std::size_t{20});
  }

  void anEndedRunSaysThatItsLogIsIncomplete_data() {
    QTest::addColumn<QString>("fault");
    QTest::newRow("without") << QStringLiteral("has no event log");
    QTest::newRow("damaged") << QStringLiteral("1 damaged record is missing from curves");
    QTest::newRow("short") << QStringLiteral(" of 40: curves and log after it are lost");
  }
  void anEndedRunSaysThatItsLogIsIncomplete() {
    QFETCH(QString, fault);
    QTemporaryDir parent;
    RunController run(tests::makeRun(parent.path(), {}));
    QFile log(QString::fromStdString(events::findEventFile(run.folder().toStdString()).string()));
    if (fault.contains(QStringLiteral("no event"))) {
      QVERIFY(log.remove());
    } else if (fault.contains(QStringLiteral("damaged"))) {
      QVERIFY(log.open(QIODevice::ReadWrite));
      const QByteArray bytes = log.readAll();
      const qsizetype at = bytes.lastIndexOf("train/loss_total");  // within the data of a record
      QVERIFY(at > 0 && log.seek(at) && log.write("T") == 1);
    } else {
      QVERIFY(log.resize(log.size() / 2));
    }
    log.close();
    run.refresh();
    QTRY_VERIFY(run.accessError());
    QCOMPARE(run.accessError()->title, QStringLiteral("The run is damaged"));
    QVERIFY2(run.accessError()->detail.contains(fault), qPrintable(run.accessError()->detail));
  }

  void anEngineOfAnotherVersionIsReportedOnce() {
    LiveRun live;
    QVERIFY(live.engine.start(
        {R"({"v":99,"type":"welcome","run":"/r","attempt":1,"seq":5,"state":"running"})",
         R"({"v":99,"type":"welcome","run":"/r","attempt":1,"seq":5,"state":"running"})"}));
    RunController run(live.folder);
    QSignalSpy changed(&run, &RunController::accessErrorChanged),
        read(&run, &RunController::changed);
    run.refresh();
    QTRY_VERIFY(run.accessError());
    QCOMPARE(run.accessError()->title, QStringLiteral("The run cannot be followed live"));
    QVERIFY2(run.accessError()->detail.contains(QStringLiteral("Use lockstep of the same version")),
             qPrintable(run.accessError()->detail));
    QTRY_COMPARE(lossCount(run), std::size_t{20});  // of its files
    QSignalSpy refused(&run, &RunController::linkChanged);
    run.refresh();  // it is tried again
    QTRY_VERIFY(refused.count() >= 2);
    QCOMPARE(changed.count(), 1);
    live.lock.reset();  // it has ended: nothing to connect to
    run.refresh();
    QTRY_VERIFY(!run.accessError());
  }

  void aCommandWithoutAConnectionIsReportedInline() {
    QTemporaryDir parent;
    RunController run(tests::makeRun(parent.path(), {}));
    QSignalSpy failed(&run, &RunController::failed);
    run.stop();
    QCOMPARE(failed.count(), 1);
  }

  void aRunThatHasEndedIsInspectedToPredict() {
    QTemporaryDir parent;
    RunController run(tests::makeRun(parent.path(), {}));
    run.setEngineProgram(QStringLiteral("/gone/lockstep-engine"));
    QSignalSpy refused(&run, &RunController::predictionFailed);
    run.predict({1, 10});
    QTRY_COMPARE(refused.count(), 1);
    QVERIFY(refused[0][1].toString().startsWith(QStringLiteral("/gone/lockstep-engine")));
    QVERIFY(!run.isPredicting());
  }
};

LOCKSTEP_TEST(TstRunController)
#include "tst_run_controller.moc"
