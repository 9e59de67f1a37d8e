#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

#include "app/engines/inspect_process.h"
#include "tests/app/fake_socket.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::AskedPrediction;
using app::InspectProcess;
using tests::FakeSocket;

namespace {

const QString kRun = QStringLiteral("/runs/a");

/// A running inspection: it answers a hello, or if `isMute` nothing.
std::unique_ptr<FakeSocket> runningInspection(bool isMute = false) {
  qunsetenv("FAKE_ENGINE");  // its own options count
  auto engine = std::make_unique<FakeSocket>();
  QList<QByteArray> lines;
  if (isMute) lines << "@mute";
  lines << QByteArray::fromStdString(
      protocol::encode(protocol::Welcome{"/runs/a", 1, -1, protocol::RunState::Finished}));
  return engine->start(lines) ? std::move(engine) : nullptr;
}

/// A stopped process: the system accepts the connection, but nothing answers.
std::unique_ptr<FakeSocket> stoppedInspection() {
  qunsetenv("FAKE_ENGINE");
  auto engine = std::make_unique<FakeSocket>();
  return engine->start({"@await"}) ? std::move(engine) : nullptr;
}

/// `inspect` finds that one, prints its socket and exits.
void letInspectName(const FakeSocket& engine) {
  qputenv("FAKE_ENGINE", "--stdout|{\"socket\": \"" + engine.path().toUtf8() + "\"}|--exit-code|0");
}

}  // namespace

class TstInspectProcess : public QObject {
  Q_OBJECT

 private:
  std::unique_ptr<InspectProcess> process_;
  std::unique_ptr<QSignalSpy> ready_, failed_;

 private Q_SLOTS:
  void init() {
    process_ = std::make_unique<InspectProcess>(tests::program("fake_engine"));
    ready_ = std::make_unique<QSignalSpy>(process_.get(), &InspectProcess::predictionReady);
    failed_ = std::make_unique<QSignalSpy>(process_.get(), &InspectProcess::predictionFailed);
    process_->setRun(kRun);
  }
  void cleanup() {
    qunsetenv("FAKE_ENGINE");
    process_.reset();
  }

  void theInspectionOfAnotherWindowIsUsed() {
    const auto engine = runningInspection();
    QVERIFY(engine);
    letInspectName(*engine);
    process_->predict({3, 40});
    process_->predict({4, 40});
    QTRY_COMPARE(ready_->count(), 2);
    QCOMPARE((*ready_)[0][0].value<AskedPrediction>(), (AskedPrediction{3, 40}));
    QCOMPARE((*ready_)[0][1].toString(), QStringLiteral("answers/1.json"));
    qputenv("FAKE_ENGINE", "--exit-code|1");
    process_->predict({5, 30});  // on the existing connection
    QTRY_COMPARE(ready_->count(), 3);
    QCOMPARE(failed_->count(), 0);
  }

  void itsExitIsSeenByTheNextRequest() {
    auto first = runningInspection();
    const auto second = runningInspection();
    QVERIFY(first && second);
    letInspectName(*first);
    process_->predict({3, 40});
    QTRY_COMPARE(ready_->count(), 1);
    letInspectName(*second);
    first.reset();
    process_->predict({4, 40});
    QTRY_COMPARE(ready_->count(), 2);
    QCOMPARE(failed_->count(), 0);
  }

  void unansweredRequestsAreSentAgain() {
    auto first = runningInspection(/*isMute=*/true);
    const auto second = runningInspection();
    QVERIFY(first && second);
    letInspectName(*first);
    process_->predict({3, 40});
    QVERIFY(first->nextLine().contains("hello"));
    QVERIFY(first->nextLine().contains("predict"));
    letInspectName(*second);
    first.reset();
    QTRY_COMPARE(ready_->count(), 1);
    QCOMPARE((*ready_)[0][0].value<AskedPrediction>().image, 3);
    QCOMPARE(failed_->count(), 0);
  }

  void oneThatExitsBeforeItIsReachedIsReplaced() {
    const auto running = runningInspection();
    QVERIFY(running);
    auto gone = std::make_unique<FakeSocket>();  // nobody listens there
    letInspectName(*gone);
    process_->predict({3, 40});
    letInspectName(*running);  // for the next process; the first has started
    QTRY_COMPARE(ready_->count(), 1);
  }

  void aFailureIsReported() {
    qputenv("FAKE_ENGINE", "--stderr|weights do not fit|--exit-code|2");
    process_->predict({3, 40});
    QTRY_COMPARE(failed_->count(), 1);
    QCOMPARE((*failed_)[0][0].value<AskedPrediction>(), (AskedPrediction{3, 40}));
    QCOMPARE((*failed_)[0][1].toString(), QStringLiteral("weights do not fit"));
    process_->predict({3, 40});  // it is tried again
    QTRY_COMPARE(failed_->count(), 2);
  }

  void oneThatNeverAnswersIsGivenUpAndRetriedOnRequest() {
    const auto stopped = stoppedInspection();
    const auto running = runningInspection();
    QVERIFY(stopped && running);
    letInspectName(*stopped);
    process_->setWelcomeTimeout(std::chrono::milliseconds(10));
    process_->predict({3, 40});
    process_->predict({4, 40});
    QTRY_COMPARE(failed_->count(), 2);
    QVERIFY((*failed_)[0][1].toString().contains(QStringLiteral("does not respond")));
    process_->setWelcomeTimeout(std::chrono::seconds(5));
    letInspectName(*running);
    process_->predict({3, 40});
    QTRY_COMPARE(ready_->count(), 1);
    QCOMPARE(failed_->count(), 2);
  }

  void successWithoutASocketIsAFailure() {
    qputenv("FAKE_ENGINE", "--exit-code|0");
    process_->predict({3, 40});
    QTRY_COMPARE(failed_->count(), 1);
  }

  void requestsOfThePreviousRunAreDropped() {
    const auto silent = runningInspection(/*isMute=*/true);
    const auto other = runningInspection();
    QVERIFY(silent && other);
    letInspectName(*silent);
    process_->predict({3, 40});
    QVERIFY(silent->nextLine().contains("hello"));
    letInspectName(*other);
    process_->setRun(QStringLiteral("/runs/b"));
    process_->predict({7, 10});
    QTRY_COMPARE(ready_->count(), 1);
    QCOMPARE((*ready_)[0][0].value<AskedPrediction>().image, 7);
    QCOMPARE(failed_->count(), 0);
  }

  void allHeldOutImagesAreAskedForAndCanceled() {
    const auto engine = runningInspection(/*isMute=*/true);
    QVERIFY(engine);
    letInspectName(*engine);
    process_->predict({std::nullopt, 40});
    QVERIFY(engine->nextLine().contains("hello"));
    const QByteArray asked = engine->nextLine();
    QVERIFY2(asked.contains(R"("split":"val")") && asked.contains(R"("weights":"40")"), asked);
    process_->cancelPrediction({std::nullopt, 40});
    const QByteArray canceled = engine->nextLine();
    QVERIFY2(canceled.contains(R"("type":"cancel")") && canceled.contains(R"("id":"app-1")"),
             canceled);
    QCOMPARE(failed_->count(), 0);  // it fails by the answer
  }

  void whatWasNotSentYetIsCanceledAtOnce() {
    qputenv("FAKE_ENGINE", "--hang");
    process_->predict({std::nullopt, 40});
    process_->predict({3, 40});
    process_->cancelPrediction({std::nullopt, 40});
    QCOMPARE(failed_->count(), 1);
    QCOMPARE((*failed_)[0][0].value<AskedPrediction>(), (AskedPrediction{std::nullopt, 40}));
  }

  /// One that hangs and does not end when it is asked to.
  void closingDoesNotWaitForIt() {
    const QTemporaryDir folder;
    const QString program = folder.filePath(QStringLiteral("engine"));
    QFile script(program);
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write(
        "#!/bin/bash\necho $$ >\"$0.pid\"; trap '' TERM; while :; do read -t 1000 x; done\n");
    script.close();
    QVERIFY(script.setPermissions(QFileDevice::ReadOwner | QFileDevice::ExeOwner));
    const auto pid = [&program] {
      QFile file(program + QStringLiteral(".pid"));
      return file.open(QIODevice::ReadOnly) ? file.readAll().trimmed().toInt() : 0;
    };
    {
      InspectProcess process(program);
      process.setRun(kRun);
      process.predict({1, 10});
      QTRY_VERIFY(pid() > 0);
    }
    QVERIFY(QFile::exists(QStringLiteral("/proc/%1").arg(pid())));
    QTRY_VERIFY(!QFile::exists(QStringLiteral("/proc/%1").arg(pid())));
  }
};

LOCKSTEP_TEST(TstInspectProcess)
#include "tst_inspect_process.moc"
