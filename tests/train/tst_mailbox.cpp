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
    mailbox.post({"1", protocol::Pause()});
    mailbox.post({"2", protocol::Resume()});
    const auto controls = mailbox.take();
    QCOMPARE(controls.size(), std::size_t(2));
    QVERIFY(std::holds_alternative<protocol::Pause>(controls[0].action));
    QCOMPARE(controls[1].id, std::string("2"));
    QVERIFY(mailbox.take().empty());
  }

  void waitingEndsWithAPost() {
    train::Mailbox mailbox;
    std::jthread poster([&] { mailbox.post({"", protocol::Stop()}); });
    QVERIFY(std::holds_alternative<protocol::Stop>(mailbox.waitAndTake().front().action));
  }
};

LOCKSTEP_TEST(TstMailbox)
#include "tst_mailbox.moc"
