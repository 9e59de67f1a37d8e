#include <sys/socket.h>
#include <unistd.h>

#include <QTest>
#include <string>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/worker/channel.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using worker::Channel;

class TstChannel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// The messages that come after a line which cannot be read.
  void othersAreReadAllTheSame_data() {
    QTest::addColumn<int>("bytes");
    QTest::newRow("too long") << int{protocol::kMaxLineBytes} + 1000;
    QTest::newRow("much too long") << 3 * int{protocol::kMaxLineBytes};
    QTest::newRow("no message") << 10;
  }
  void othersAreReadAllTheSame() {
    QFETCH(int, bytes);
    int ends[2];
    QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    base::FileDescriptor supervisor(ends[0]);
    const base::FileDescriptor own(ends[1]);
    const std::jthread sender([&] {
      const std::string text =
          std::string(static_cast<std::size_t>(bytes), 'x') + "\n" +
          protocol::encode(protocol::SupervisorMessage(protocol::Control{"7", protocol::Stop{}})) +
          "\n";
      for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t count = ::write(supervisor.get(), text.data() + sent, text.size() - sent);
        if (count <= 0) break;
        sent += static_cast<std::size_t>(count);
      }
      supervisor.reset();
    });
    Channel channel(own.get());
    QVERIFY_THROWS_EXCEPTION(Error, channel.receive(-1));
    const auto message = channel.receive(-1);
    const auto* control = message ? std::get_if<protocol::Control>(&*message) : nullptr;
    QVERIFY(control != nullptr);
    QCOMPARE(control->id, std::string("7"));
    QVERIFY(!channel.receive(-1));
    QVERIFY(channel.isClosed());
  }
};

LOCKSTEP_TEST(TstChannel)
#include "tst_channel.moc"
