#include <sys/socket.h>
#include <unistd.h>

#include <QTest>
#include <string>

#include "engine/base/file_descriptor.h"
#include "engine/supervisor/outgoing_lines.h"
#include "tests/support/test_main.h"

using namespace lockstep::supervisor;

class TstOutgoingLines : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everyByteArrivesInOrderThroughAFullSocket() {
    int ends[2];
    QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0);
    const lockstep::base::FileDescriptor sender(ends[0]), receiver(ends[1]);
    OutgoingLines lines;
    std::string expected;
    for (int i = 0; i < 20000; ++i) {
      const std::string line =
          "line " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 90), '.');
      lines.add(line);
      expected += line + "\n";
    }
    QCOMPARE(lines.bytes(), expected.size());
    std::string received;
    std::size_t fullest = 0;
    while (received.size() < expected.size()) {
      QVERIFY(lines.flush(sender.get()));
      fullest = std::max(fullest, lines.bytes());
      char bytes[50001];
      const ssize_t count = ::read(receiver.get(), bytes, sizeof bytes);
      QVERIFY(count > 0);
      received.append(bytes, static_cast<std::size_t>(count));
    }
    QVERIFY2(fullest > 0, "the socket was full at least once");
    QVERIFY(lines.isEmpty());
    QVERIFY(received == expected);
  }

  void closedReceiverIsReported() {
    int ends[2];
    QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    const lockstep::base::FileDescriptor sender(ends[0]);
    ::close(ends[1]);
    OutgoingLines lines;
    QVERIFY2(lines.flush(sender.get()), "nothing to send, nothing wrong");
    lines.add("hello");
    QVERIFY(!lines.flush(sender.get()));
  }
};

LOCKSTEP_TEST(TstOutgoingLines)
#include "tst_outgoing_lines.moc"
