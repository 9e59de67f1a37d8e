#include <QSignalSpy>
#include <QTest>
#include <memory>

#include "app/controllers/inspect_process.h"
#include "tests/app/fake_socket.h"
#include "tests/support/test_data.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::InspectProcess;
using tests::FakeSocket;

namespace {

const QString kRun = QStringLiteral("/runs/a");

/// An inspection that lives: it answers whoever greets it, or keeps silent.
std::unique_ptr<FakeSocket> livingInspection(bool isMute = false) {
  qunsetenv("FAKE_ENGINE");  // its own options count
  auto engine = std::make_unique<FakeSocket>();
  QList<QByteArray> lines;
  if (isMute) lines << "@mute";
  lines << QByteArray::fromStdString(
      protocol::encode(protocol::Welcome{"/runs/a", 1, -1, protocol::RunState::Finished}));
  return engine->start(lines) ? std::move(engine) : nullptr;
}

/// One that was stopped: the system takes the connection, nobody answers.
std::unique_ptr<FakeSocket> stoppedInspection() {
  qunsetenv("FAKE_ENGINE");
  auto engine = std::make_unique<FakeSocket>();
  return engine->start({"@await"}) ? std::move(engine) : nullptr;
}

/// `inspect` finds that one, names it and ends.
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

  void theOneOfAnotherWindowIsAsked() {
    const auto engine = livingInspection();
    QVERIFY(engine);
    letInspectName(*engine);
    process_->predict(3, 40);
    process_->predict(4, 40);
    QTRY_COMPARE(ready_->count(), 2);
    QCOMPARE((*ready_)[0], (QVariantList{3, 40, QStringLiteral("answers/1.json")}));
    qputenv("FAKE_ENGINE", "--exit-code|1");
    process_->predict(5, 30);  // on the connection that is there
    QTRY_COMPARE(ready_->count(), 3);
    QCOMPARE(failed_->count(), 0);
  }

  void itsEndIsSeenByTheNextRequest() {
    auto first = livingInspection();
    const auto second = livingInspection();
    QVERIFY(first && second);
    letInspectName(*first);
    process_->predict(3, 40);
    QTRY_COMPARE(ready_->count(), 1);
    letInspectName(*second);
    first.reset();
    process_->predict(4, 40);
    QTRY_COMPARE(ready_->count(), 2);
    QCOMPARE(failed_->count(), 0);
  }

  void whatItDidNotAnswerIsAskedAgain() {
    auto first = livingInspection(/*isMute=*/true);
    const auto second = livingInspection();
    QVERIFY(first && second);
    letInspectName(*first);
    process_->predict(3, 40);
    QVERIFY(first->nextLine().contains("hello"));
    QVERIFY(first->nextLine().contains("predict"));
    letInspectName(*second);
    first.reset();
    QTRY_COMPARE(ready_->count(), 1);
    QCOMPARE((*ready_)[0][0].toInt(), 3);
    QCOMPARE(failed_->count(), 0);
  }

  void oneThatGoesBeforeItIsReachedIsReplaced() {
    const auto living = livingInspection();
    QVERIFY(living);
    auto gone = std::make_unique<FakeSocket>();  // nobody listens there
    letInspectName(*gone);
    process_->predict(3, 40);
    letInspectName(*living);  // what the next process says; the first has begun
    QTRY_COMPARE(ready_->count(), 1);
  }

  void aFaultIsTold() {
    qputenv("FAKE_ENGINE", "--stderr|weights do not fit|--exit-code|2");
    process_->predict(3, 40);
    QTRY_COMPARE(failed_->count(), 1);
    QCOMPARE((*failed_)[0], (QVariantList{3, 40, QStringLiteral("weights do not fit")}));
    process_->predict(3, 40);  // it is tried again
    QTRY_COMPARE(failed_->count(), 2);
  }

  void oneThatNeverAnswersIsGivenUpAndTriedAgainWhenAsked() {
    const auto stopped = stoppedInspection();
    const auto living = livingInspection();
    QVERIFY(stopped && living);
    letInspectName(*stopped);
    process_->setWelcomeTimeout(std::chrono::milliseconds(10));
    process_->predict(3, 40);
    process_->predict(4, 40);
    QTRY_COMPARE(failed_->count(), 2);
    QVERIFY((*failed_)[0][2].toString().contains(QStringLiteral("does not respond")));
    process_->setWelcomeTimeout(std::chrono::seconds(5));
    letInspectName(*living);
    process_->predict(3, 40);
    QTRY_COMPARE(ready_->count(), 1);
    QCOMPARE(failed_->count(), 2);
  }

  void successWithoutASocketIsAFault() {
    qputenv("FAKE_ENGINE", "--exit-code|0");
    process_->predict(3, 40);
    QTRY_COMPARE(failed_->count(), 1);
  }

  void requestsOfTheRunBeforeAreForgotten() {
    const auto silent = livingInspection(/*isMute=*/true);
    const auto other = livingInspection();
    QVERIFY(silent && other);
    letInspectName(*silent);
    process_->predict(3, 40);
    QVERIFY(silent->nextLine().contains("hello"));
    letInspectName(*other);
    process_->setRun(QStringLiteral("/runs/b"));
    process_->predict(7, 10);
    QTRY_COMPARE(ready_->count(), 1);
    QCOMPARE((*ready_)[0][0].toInt(), 7);
    QCOMPARE(failed_->count(), 0);
  }
};

LOCKSTEP_TEST(TstInspectProcess)
#include "tst_inspect_process.moc"
