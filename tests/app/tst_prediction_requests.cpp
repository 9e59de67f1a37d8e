#include <QLocalSocket>
#include <QSignalSpy>
#include <QTest>

#include "app/predictions/prediction_requests.h"
#include "app/runs/open/open_runs.h"
#include "tests/app/live_run.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::AskedPrediction;
using app::PredictionRequests;
using app::RunController;

namespace {

const AskedPrediction kImage{3, 20}, kAll{std::nullopt, 20};

/// What one asker hears.
struct Asker {
  PredictionRequests requests;
  QSignalSpy ready{&requests, &PredictionRequests::ready};
  QSignalSpy failed{&requests, &PredictionRequests::failed};
  QSignalSpy progressed{&requests, &PredictionRequests::progressed};

  int answers() const { return static_cast<int>(ready.count() + failed.count()); }
};

/// That it listens, and so its process lives.
bool answersAt(const QString& path) {
  QLocalSocket socket;
  socket.connectToServer(path);
  return socket.waitForConnected(1000);
}

}  // namespace

class TstPredictionRequests : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<tests::LiveRun> live_;
  std::unique_ptr<RunController> run_;

  /// It says `lines` as replies: after each `@await` those that follow one line of the client.
  void connectTo(const QList<QByteArray>& lines) {
    live_ = std::make_unique<tests::LiveRun>();
    QVERIFY(live_->engine.start(QList<QByteArray>{"@mute", live_->welcome(), "@await"} + lines));
    run_ = std::make_unique<RunController>(live_->folder);
    run_->refresh();
    QTRY_COMPARE(run_->linkState(), app::EngineLink::State::Connected);
    QVERIFY(live_->engine.nextLine().contains("hello"));
  }
  /// The program that an ended run is inspected with: it serves at `socket` itself.
  void inspectBy(const QString& socket, const QString& replay, const QList<QByteArray>& lines) {
    QFile file(replay);
    QVERIFY(file.open(QIODevice::WriteOnly));
    for (const QByteArray& line : lines) file.write(line + '\n');
    qputenv("FAKE_ENGINE", "--stdout|{\"socket\": \"" + socket.toUtf8() + "\"}|--socket|" +
                               socket.toUtf8() + "|--replay|" + replay.toUtf8());
    run_->setEngineProgram(tests::program("fake_engine"));
  }

 private Q_SLOTS:
  void cleanup() {
    run_.reset();
    live_.reset();
    qunsetenv("FAKE_ENGINE");
  }

  void ofEqualRequestsEachGetsItsOwnAnswer() {
    connectTo({"@await", tests::okOf("app-2", "second.json"), "@await",
               tests::okOf("app-1", "first.json")});
    Asker first, second;
    first.requests.setRun(run_.get());
    second.requests.setRun(run_.get());
    first.requests.predict(kAll);
    second.requests.predict(kAll);
    QTRY_COMPARE(second.ready.count(), 1);
    QCOMPARE(second.ready[0][0].value<AskedPrediction>(), kAll);
    QVERIFY(second.ready[0][1].toString().endsWith(QStringLiteral("second.json")));
    QCOMPARE(first.answers(), 0);
    QVERIFY(first.requests.isAsked(kAll) && !second.requests.isAsked(kAll));
    run_->saveCheckpoint();  // lets the other answer come
    QTRY_COMPARE(first.ready.count(), 1);
    QVERIFY(first.ready[0][1].toString().endsWith(QStringLiteral("first.json")));
    QCOMPARE(second.answers(), 1);
  }

  void progressIsHeardByWhoAsked() {
    connectTo({"@await", tests::progressOf("app-2", 5, 9)});
    Asker first, second;
    first.requests.setRun(run_.get());
    second.requests.setRun(run_.get());
    first.requests.predict(kAll);
    second.requests.predict(kAll);
    QTRY_COMPARE(second.progressed.count(), 1);
    QCOMPARE(second.progressed[0][1].toLongLong(), qint64{5});
    QCOMPARE(first.progressed.count(), 0);
  }

  void onlyTheOwnRequestIsCanceled() {
    connectTo({"@await", "@await", tests::refusalOf("app-1", "cancelled"),
               tests::okOf("app-2", "second.json")});
    Asker first, second;
    first.requests.setRun(run_.get());
    second.requests.setRun(run_.get());
    first.requests.predict(kImage);
    second.requests.predict(kImage);
    first.requests.cancel(kImage);
    QTRY_COMPARE(second.ready.count(), 1);
    QCOMPARE(second.failed.count(), 0);
    QCOMPARE(first.answers(), 0);
    for (int i = 0; i < 2; ++i) QVERIFY(live_->engine.nextLine().contains("predict"));
    const QByteArray canceled = live_->engine.nextLine();
    QVERIFY2(canceled.contains("cancel") && canceled.contains("app-1"), canceled);
  }

  void whatIsAskedForAgainIsNotFailedByItsCanceledRequest() {
    connectTo({"@await", "@await", tests::refusalOf("app-1", "cancelled"), "@await",
               tests::okOf("app-2", "again.json")});
    Asker asker;
    asker.requests.setRun(run_.get());
    QSignalSpy refused(run_.get(), &RunController::predictionFailed);
    asker.requests.predict(kImage);
    asker.requests.cancel(kImage);
    asker.requests.predict(kImage);
    QTRY_COMPARE(refused.count(), 1);
    QCOMPARE(asker.answers(), 0);
    run_->saveCheckpoint();
    QTRY_COMPARE(asker.ready.count(), 1);
  }

  void leavingARunCancelsAllButWholeParts() {
    connectTo({"@await", "@await", "@await", "@await", tests::okOf("app-2", "all.json")});
    Asker asker;
    asker.requests.setRun(run_.get());
    asker.requests.predict(kImage);
    asker.requests.predict(kAll);
    asker.requests.setRun(nullptr);
    QVERIFY(!asker.requests.isAsked(kAll));
    run_->saveCheckpoint();
    for (int i = 0; i < 2; ++i) QVERIFY(live_->engine.nextLine().contains("predict"));
    const QByteArray canceled = live_->engine.nextLine();
    QVERIFY2(canceled.contains("cancel") && canceled.contains("app-1"), canceled);
    QVERIFY(live_->engine.nextLine().contains("checkpoint"));
    asker.requests.setRun(run_.get());
    QVERIFY(asker.requests.isAsked(kAll));
    run_->saveCheckpoint();
    QTRY_COMPARE(asker.ready.count(), 1);
    QCOMPARE(asker.failed.count(), 0);
  }

  void withoutARunARequestFails() {
    Asker asker;
    asker.requests.predict(kAll);
    QCOMPARE(asker.failed.count(), 1);
    asker.requests.cancel(kAll);
  }

  /// By one process, which ends with the last that needs it.
  void anEndedRunIsInspectedForAllTogether() {
    const QTemporaryDir parent;
    run_ = std::make_unique<RunController>(tests::makeRun(parent.path(), {}));
    const QString socket = parent.filePath(QStringLiteral("i.sock"));
    inspectBy(socket, parent.filePath(QStringLiteral("replay")),
              {"@mute", tests::line(protocol::Welcome{"/r", 1, -1, protocol::RunState::Finished}),
               "@await", tests::progressOf("app-1", 1, 2), "@await", "@await",
               tests::okOf("app-1", "all.json")});
    Asker first, second;
    first.requests.setRun(run_.get());
    second.requests.setRun(run_.get());
    first.requests.predict(kAll);
    QTRY_COMPARE(first.progressed.count(), 1);
    second.requests.predict(kImage);
    second.requests.setRun(nullptr);  // cancels it, and leaves the process to the other
    QTRY_COMPARE(first.ready.count(), 1);
    QCOMPARE(first.failed.count(), 0);
    QVERIFY(answersAt(socket));
    first.requests.setRun(nullptr);
    QTRY_VERIFY(!answersAt(socket));
  }

  void aRunThatPredictsStaysOpen() {
    const QTemporaryDir parent;
    qputenv("FAKE_ENGINE", "--hang");
    app::OpenRuns runs;
    QStringList folders;
    for (int i = 0; i < 9; ++i) {
      tests::MadeRun made;
      made.name = "run" + std::to_string(i);
      folders << tests::makeRun(parent.path(), made);
    }
    Asker asker;
    RunController* first = runs.open(folders[0]);
    first->setEngineProgram(tests::program("fake_engine"));
    asker.requests.setRun(first);
    asker.requests.predict(kAll);
    for (const QString& folder : folders) {
      runs.open(folder);
      runs.setShown({folder});
    }
    QVERIFY(runs.find(folders[0]));
    QVERIFY(!runs.find(folders[1]));
    asker.requests.cancel(kAll);
    runs.setShown({folders[8]});
    QVERIFY(!runs.find(folders[0]));
  }
};

LOCKSTEP_TEST(TstPredictionRequests)
#include "tst_prediction_requests.moc"
