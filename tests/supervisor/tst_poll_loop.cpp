#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <QTest>

#include "engine/base/file_descriptor.h"
#include "engine/supervisor/poll_loop.h"
#include "tests/support/test_main.h"

using namespace lockstep::supervisor;

namespace {

struct Pair {
  lockstep::base::FileDescriptor a, b;
  Pair() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) qFatal("socketpair");
    a.reset(ends[0]);
    b.reset(ends[1]);
  }
  void poke() { QCOMPARE(::write(a.get(), "x", 1), ssize_t{1}); }
};

short input() { return POLLIN; }

}  // namespace

class TstPollLoop : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readyDescriptorCallsItsHandler() {
    PollLoop loop;
    Pair pair;
    pair.poke();
    short seen = 0;
    loop.watch(pair.b.get(), input, [&](short events) {
      seen = events;
      loop.stop();
    });
    loop.run();
    QCOMPARE(seen, short{POLLIN});
  }

  void handlerMayRemoveAnotherThatIsReadyToo() {
    PollLoop loop;
    Pair one, two;
    one.poke();
    two.poke();
    int calls = 0;
    const auto removeBoth = [&](short) {
      ++calls;
      loop.unwatch(one.b.get());
      loop.unwatch(two.b.get());
      loop.stop();
    };
    loop.watch(one.b.get(), input, removeBoth);
    loop.watch(two.b.get(), input, removeBoth);
    loop.run();
    QCOMPARE(calls, 1);
  }

  void reusedDescriptorNumberIsNotMistaken() {
    PollLoop loop;
    Pair one, two;
    one.poke();
    two.poke();
    int stale = 0;
    // Whichever runs first puts a new watch in the other's place: the old readiness must not reach
    // it.
    const auto replace = [&](int fd) {
      return [&, fd](short) {
        loop.watch(fd, input, [&](short) { ++stale; });
        loop.stop();
      };
    };
    loop.watch(one.b.get(), input, replace(two.b.get()));
    loop.watch(two.b.get(), input, replace(one.b.get()));
    loop.run();
    QCOMPARE(stale, 0);
  }

  void workContinuesWithoutWaitingWhileThereIsMore() {
    PollLoop loop;
    int turns = 0;
    loop.eachTurn([&] {
      if (++turns == 5) loop.stop();
      return true;
    });
    loop.run();
    QCOMPARE(turns, 5);
  }

  void timersRunInOrder() {
    PollLoop loop;
    std::string order;
    loop.every(std::chrono::milliseconds(1), [&] { order += 'a'; });
    loop.every(std::chrono::milliseconds(50), [&] { loop.stop(); });
    loop.run();
    QVERIFY(!order.empty());
  }

  void afterRunsOnceAndNotImmediately() {
    PollLoop loop;
    int calls = 0, turns = 0;
    loop.after(std::chrono::milliseconds(0), [&] { ++calls; });
    QCOMPARE(calls, 0);
    loop.every(std::chrono::milliseconds(1), [&] {
      if (++turns == 5) loop.stop();
    });
    loop.run();
    QCOMPARE(calls, 1);
  }

  void aCancelledTimerIsNeverCalled() {
    PollLoop loop;
    int others = 0, own = 0;
    PollLoop::TimerId other = 0, itself = 0;
    itself = loop.every(std::chrono::milliseconds(1), [&] {
      loop.cancel(other);
      if (++own == 3) {
        loop.cancel(itself);
        loop.after(std::chrono::milliseconds(5), [&] { loop.stop(); });
      }
    });
    other = loop.every(std::chrono::milliseconds(1), [&] { ++others; });
    loop.cancel(4711);
    loop.run();
    QCOMPARE(own, 3);
    QCOMPARE(others, 0);
  }
};

LOCKSTEP_TEST(TstPollLoop)
#include "tst_poll_loop.moc"
