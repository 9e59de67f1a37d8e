#include <QSignalSpy>
#include <QTest>

#include "app/engines/engine_link.h"
#include "tests/app/fake_socket.h"
#include "tests/app/fake_ssh.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using app::EngineLink;

namespace {

const QByteArray kWelcome =
    R"({"v":1,"type":"welcome","run":"/r","attempt":1,"seq":5,"state":"running"})";

QByteArray scalars(int seq) {
  return R"({"v":1,"type":"scalars","seq":)" + QByteArray::number(seq) + R"(,"step":)" +
         QByteArray::number(seq) + R"(,"time":100.5,"values":{"train/loss_total":0.5}})";
}

}  // namespace

class TstEngineLink : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    qRegisterMetaType<protocol::EngineMessage>("lockstep::protocol::EngineMessage");
  }

  void helloIsAnsweredByEventsInOrder() {
    tests::FakeSocket engine;
    QVERIFY(engine.start({kWelcome, scalars(6), scalars(7)}));
    EngineLink link;
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(5, 1); });
    std::vector<std::int64_t> seqs;
    connect(&link, &EngineLink::eventReceived, &link, [&](const protocol::EngineMessage& message) {
      seqs.push_back(std::get<protocol::Scalars>(message).seq);
    });
    QSignalSpy welcomed(&link, &EngineLink::welcomed);
    link.connectToEngine(engine.path());
    QTRY_COMPARE(seqs.size(), std::size_t{2});
    QCOMPARE(welcomed.count(), 1);
    QCOMPARE(seqs, (std::vector<std::int64_t>{6, 7}));
    QVERIFY(engine.nextLine().contains(R"("since":5)"));
    QCOMPARE(link.state(), EngineLink::State::Connected);
  }

  void aSilentSocketDoesNotCountAsConnected() {
    tests::FakeSocket engine;
    QVERIFY(engine.start({"@await", "@await", kWelcome}));  // it does not answer a hello
    EngineLink link;
    link.setWelcomeTimeout(std::chrono::milliseconds(50));
    int hellos = 0;
    connect(&link, &EngineLink::connected, &link, [&] {
      ++hellos;
      link.sendHello(-1, 0);
    });
    bool wasConnected = false;
    connect(&link, &EngineLink::stateChanged, &link, [&](EngineLink::State state) {
      wasConnected = wasConnected || state == EngineLink::State::Connected;
    });
    link.connectToEngine(engine.path());
    QTRY_VERIFY(hellos > 1);  // it was tried again
    QVERIFY(!wasConnected);
    QVERIFY2(link.lastError().contains(QStringLiteral("does not respond")),
             qPrintable(link.lastError()));
    QVERIFY(link.sendCommand(protocol::CommandName::Stop).isEmpty());
  }

  /// As that of a process that was stopped (Ctrl+Z, SIGSTOP).
  void anEngineThatAnswersNothingIsLost() {
    tests::FakeSocket engine;
    QVERIFY(engine.start({kWelcome, "@mute"}));
    EngineLink link;
    link.setAnswerTimeout(std::chrono::milliseconds(50));
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    QSignalSpy lost(&link, &EngineLink::lost);
    link.connectToEngine(engine.path());
    QTRY_COMPARE(link.state(), EngineLink::State::Connected);
    QVERIFY(!link.sendCommand(protocol::CommandName::Pause).isEmpty());
    QString why;
    connect(&link, &EngineLink::lost, &link, [&] { why = link.lastError(); });
    QTRY_COMPARE(lost.count(), 1);
    QVERIFY2(why.contains(QStringLiteral("does not answer")), qPrintable(why));
    QVERIFY(engine.nextLine().contains("hello"));
    QVERIFY(engine.nextLine().contains("pause"));
    QVERIFY(engine.nextLine().contains("status"));
  }

  void anEngineThatAnswersIsKept() {
    tests::FakeSocket engine;
    QVERIFY(engine.start({kWelcome}));
    EngineLink link;
    link.setAnswerTimeout(std::chrono::milliseconds(50));
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    QSignalSpy lost(&link, &EngineLink::lost), answered(&link, &EngineLink::answered);
    link.connectToEngine(engine.path());
    QTRY_COMPARE(link.state(), EngineLink::State::Connected);
    for (int i = 1; i <= 3; ++i) {
      link.sendCommand(protocol::CommandName::Pause);
      QTRY_COMPARE(answered.count(), i);
    }
    QCOMPARE(lost.count(), 0);
  }

  void aMissingSocketIsRetried() {
    tests::FakeSocket engine;
    EngineLink link;
    QSignalSpy connected(&link, &EngineLink::connected), failed(&link, &EngineLink::failed);
    link.connectToEngine(engine.path());
    QCOMPARE(link.state(), EngineLink::State::Connecting);
    QVERIFY(engine.start({}));
    QTRY_COMPARE(connected.count(), 1);
    QCOMPARE(failed.count(), 0);
  }

  void aLostConnectionIsReportedAndRestored() {
    tests::FakeSocket engine;
    QVERIFY(engine.start({kWelcome, "@close", kWelcome}));
    EngineLink link;
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    QSignalSpy lost(&link, &EngineLink::lost), welcomed(&link, &EngineLink::welcomed);
    link.connectToEngine(engine.path());
    QTRY_COMPARE(welcomed.count(), 2);
    QCOMPARE(lost.count(), 1);
  }

  void badLinesAreSkipped() {
    tests::FakeSocket engine;
    QVERIFY(engine.start({kWelcome, "not json", R"({"v":1,"type":"from the future"})", R"([])",
                          "@half " + scalars(8).left(20), scalars(8).mid(20), scalars(9)}));
    EngineLink link;
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    QSignalSpy events(&link, &EngineLink::eventReceived);
    link.connectToEngine(engine.path());
    QTRY_COMPARE(events.count(), 2);
    QCOMPARE(link.state(), EngineLink::State::Connected);
  }

  /// Takes several turns.
  void allThatCameBeforeTheEndIsHandled() {
    QList<QByteArray> lines{kWelcome};
    constexpr int kLines = 20'000;
    for (int seq = 1; seq <= kLines; ++seq) lines.append(scalars(seq));
    tests::FakeSocket engine;
    QVERIFY(engine.start(lines << "@close"));
    EngineLink link;
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    int events = 0, atTheEnd = 0;
    connect(&link, &EngineLink::eventReceived, &link, [&] { ++events; });
    connect(&link, &EngineLink::lost, &link, [&] {
      atTheEnd = events;
      link.disconnectFromEngine();
    });
    link.connectToEngine(engine.path());
    QTRY_COMPARE(link.state(), EngineLink::State::Off);
    QCOMPARE(atTheEnd, kLines);
  }

  void whatSendsOnlyGarbageIsClosed_data() {
    QTest::addColumn<bool>("isWelcome");
    QTest::newRow("at once") << false;
    QTest::newRow("after its welcome") << true;
  }
  void whatSendsOnlyGarbageIsClosed() {
    QFETCH(bool, isWelcome);
    const tests::FakeSsh ssh((isWelcome ? "echo '" + kWelcome + "'\n" : QByteArray()) +
                             "exec yes garbage\n");
    EngineLink link;
    QSignalSpy lost(&link, &EngineLink::lost), unreachable(&link, &EngineLink::unreachable);
    link.connectToEngine(tests::FakeSsh::address(QStringLiteral("/run")));
    QTRY_COMPARE(isWelcome ? lost.count() : unreachable.count(), 1);
    QVERIFY2(link.lastError().contains(QStringLiteral("“garbage”, which is not a message")),
             qPrintable(link.lastError()));
  }

  /// A newer engine sends them among known ones.
  void someUnknownMessagesAreNoReasonToClose() {
    QList<QByteArray> lines{kWelcome};
    for (int seq = 1; seq <= 900; ++seq) lines.append(R"({"v":1,"type":"from the future"})");
    lines.append(scalars(1));
    lines += lines.mid(1);
    tests::FakeSocket engine;
    QVERIFY(engine.start(lines));
    EngineLink link;
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    QSignalSpy events(&link, &EngineLink::eventReceived), lost(&link, &EngineLink::lost);
    link.connectToEngine(engine.path());
    QTRY_COMPARE(events.count(), 2);
    QCOMPARE(lost.count(), 0);
  }

  void aLineOverTheLimitIsDropped() {
    tests::FakeSocket engine;
    QVERIFY(engine.start(
        {QByteArray(static_cast<qsizetype>(protocol::kMaxLineBytes) + 10, 'x'), scalars(3)}));
    EngineLink link;
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    QSignalSpy events(&link, &EngineLink::eventReceived);
    link.connectToEngine(engine.path());
    QTRY_COMPARE(events.count(), 1);
  }

  void anotherProtocolVersionClosesTheConnection() {
    tests::FakeSocket engine;
    QVERIFY(engine.start(
        {R"({"v":99,"type":"welcome","run":"/r","attempt":1,"seq":5,"state":"running"})"}));
    EngineLink link;
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    QSignalSpy failed(&link, &EngineLink::failed);
    link.connectToEngine(engine.path());
    QTRY_COMPARE(failed.count(), 1);
    QCOMPARE(link.state(), EngineLink::State::Off);
  }

  void answersAreMatchedToRequestsById() {
    tests::FakeSocket engine;
    QVERIFY(engine.start({kWelcome}));
    EngineLink link;
    connect(&link, &EngineLink::connected, &link, [&] { link.sendHello(-1, 0); });
    QSignalSpy welcomed(&link, &EngineLink::welcomed), answered(&link, &EngineLink::answered);
    QVERIFY(link.sendCommand(protocol::CommandName::Stop).isEmpty());
    link.connectToEngine(engine.path());
    QTRY_COMPARE(welcomed.count(), 1);
    QVERIFY(engine.nextLine().contains("hello"));
    const QString stop = link.sendCommand(protocol::CommandName::Stop);
    const QString predict = link.sendPredict({.imageIds = {4}, .weights = "200"});
    QVERIFY(!stop.isEmpty() && stop != predict);
    QTRY_COMPARE(answered.count(), 2);
    QCOMPARE(answered[0][0].toString(), stop);
    QCOMPARE(answered[1][0].toString(), predict);
    QVERIFY(answered[1][1].toString().contains(QStringLiteral("answers/1.json")));
    QVERIFY(engine.nextLine().contains(R"("type":"stop")"));
    const QByteArray asked = engine.nextLine();
    QVERIFY(asked.contains(R"("image_ids":[4])") && asked.contains(R"("weights":"200")"));
  }
};

LOCKSTEP_TEST(TstEngineLink)
#include "tst_engine_link.moc"
