#include <QTest>
#include <thread>

#include "engine/train/mailbox.h"
#include "tests/support/test_main.h"

using namespace lockstep;

class TstMailbox : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void controlsComeInOrderAndOnce() {
    train::Mailbox mailbox;
    QVERIFY(mailbox.take().empty());
    mailbox.post({.name = "pause", .id = "1", .predict = {}, .out = ""});
    mailbox.post({.name = "resume", .id = "2", .predict = {}, .out = ""});
    const auto controls = mailbox.take();
    QCOMPARE(controls.size(), std::size_t(2));
    QCOMPARE(controls[0].name, std::string("pause"));
    QCOMPARE(controls[1].id, std::string("2"));
    QVERIFY(mailbox.take().empty());
  }

  void waitingEndsWithAPost() {
    train::Mailbox mailbox;
    std::jthread poster(
        [&] { mailbox.post({.name = "stop", .id = "", .predict = {}, .out = ""}); });
    QCOMPARE(mailbox.waitAndTake().front().name, std::string("stop"));
  }
};

LOCKSTEP_TEST(TstMailbox)
#include "tst_mailbox.moc"
