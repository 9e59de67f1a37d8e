#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <deque>
#include <fstream>
#include <optional>

#include "engine/base/error.h"
#include "engine/events/event_record.h"
#include "engine/events/writer.h"
#include "engine/supervisor/socket_server.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::supervisor;
using tests::SocketClient;

namespace {

/// Serves nothing but greetings and a log.
struct Greeter : Service {
  std::filesystem::path file;
  std::deque<protocol::Event> pending;
  protocol::Welcome welcome() const override { return {"/run", 1, 0, protocol::RunState::Running}; }
  std::filesystem::path eventFile() const override { return file; }
  const std::deque<protocol::Event>& pendingEvents() const override { return pending; }
  std::optional<protocol::Reset> resetFor(const protocol::Hello&) const override { return {}; }
  void handle(const RequestToken&, const protocol::Command&) override {}
  void handle(const RequestToken&, const protocol::PredictRequest&) override {}
  void handle(const RequestToken&, const protocol::CancelRequest&) override {}
  void handle(const RequestToken&, const protocol::QueueRequest&) override {}
  void handle(const RequestToken&, const protocol::ExplainRequest&) override {}
  void handle(const RequestToken&, const protocol::FileRequest&) override {}
};

rlimit descriptorLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
}

/// While it lives, this process is another user.
class OtherUser {
 public:
  OtherUser() { [[maybe_unused]] const int done = ::seteuid(65534); }
  ~OtherUser() { [[maybe_unused]] const int done = ::seteuid(0); }
};

/// Until the client has an answer, or the end of the connection.
void serve(PollLoop& loop, const SocketClient& client) {
  const auto timer = loop.every(std::chrono::milliseconds(1), [&] {
    pollfd answer{client.fd(), POLLIN, 0};
    if (::poll(&answer, 1, 0) > 0) loop.stop();
  });
  loop.run();
  loop.cancel(timer);
}

/// While it lives, this process can open nothing more.
class NoDescriptors {
 public:
  NoDescriptors() : before_(descriptorLimit()) {
    const base::FileDescriptor lowestFree(::dup(STDERR_FILENO));
    const rlimit none{static_cast<rlim_t>(lowestFree.get()), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

}  // namespace

class TstSocketServer : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void clientsBeyondTheDescriptorsWaitAndCostNothing() {
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    Greeter greeter;
    PollLoop loop;
    SocketServer server(loop, run_folder::socketPath("limit"), greeter);
    server.listen();
    SocketClient client(server.path());
    client.send(protocol::Hello{});
    int turns = 0;
    bool hasWaited = false;
    loop.eachTurn([&] {
      if (++turns == 200) loop.stop();
      return false;
    });
    loop.every(std::chrono::milliseconds(50), [&] {
      hasWaited = true;
      loop.stop();
    });
    {
      const NoDescriptors none;
      loop.run();
      QVERIFY2(hasWaited, "a client that cannot be taken must not keep the loop turning");
    }
    server.restoreSocket();  // as every second
    turns = 0;
    loop.run();
    QCOMPARE(client.expect<protocol::Welcome>().run, std::string("/run"));
  }

  /// While the disk refuses records, clients have them from memory; once each, and no gap.
  void recordsThatTheFileDoesNotHoldYetAreSentOnce() {
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    Greeter greeter;
    auto writer = events::Writer::open(folder.path().toStdString());
    greeter.file = writer.path();
    const auto scalars = [](std::int64_t step) {  // behind the version record
      return protocol::Scalars{step, step, 0, {{"a", 1.0f}}};
    };
    for (int step = 1; step <= 3; ++step) writer.append(events::recordOf(scalars(step)));
    for (int step = 4; step <= 6; ++step) greeter.pending.push_back(scalars(step));
    PollLoop loop;
    SocketServer server(loop, run_folder::socketPath("waiting"), greeter);
    server.listen();
    SocketClient client(server.path());
    client.send(protocol::Hello{1, 1});
    const auto expectSteps = [&](std::int64_t first, std::int64_t last) {
      serve(loop, client);
      for (std::int64_t step = first; step <= last; ++step) {
        const auto told = client.expect<protocol::Scalars>();
        QCOMPARE(told.step, step);
        QCOMPARE(told.seq, step);
      }
    };
    expectSteps(2, 6);
    for (int step = 4; step <= 7; ++step)
      writer.append(events::recordOf(scalars(step)));  // the disk takes them
    greeter.pending.clear();
    expectSteps(7, 7);
    QVERIFY(server.isCaughtUp());
  }

  /// The folder of sockets is somebody's file: there is no socket until it is gone.
  void aSocketThatCannotBeCreatedIsRetried() {
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    const std::filesystem::path blocked =
        std::filesystem::path(folder.path().toStdString()) / "lockstep";
    std::ofstream(blocked) << "in the way";
    Greeter greeter;
    PollLoop loop;
    SocketServer server(loop, run_folder::socketPath("blocked"), greeter);
    QVERIFY_THROWS_EXCEPTION(Error, server.listen());
    const auto trouble = server.restoreSocket();
    QVERIFY(trouble && trouble->find("XDG_RUNTIME_DIR") != std::string::npos);
    QVERIFY2(!server.restoreSocket(), "one reason is told once");
    std::filesystem::remove(blocked);
    QVERIFY(!server.restoreSocket());
    SocketClient client(server.path());
    client.send(protocol::Hello{});
    serve(loop, client);
    QCOMPARE(client.expect<protocol::Welcome>().run, std::string("/run"));
  }

  void otherUsersDoNotReachTheSocket() {
    if (::geteuid() != 0) QSKIP("only root can be another user");
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    QCOMPARE(::chmod(folder.path().toUtf8().constData(), 0711), 0);
    Greeter greeter;
    PollLoop loop;
    SocketServer server(loop, run_folder::socketPath("mine"), greeter);
    server.listen();
    const OtherUser other;
    QVERIFY_THROWS_EXCEPTION(Error, SocketClient(server.path()));
  }

  /// Where somebody opened the folder: whoever connects is asked for, too.
  void otherUsersAreRefused() {
    if (::geteuid() != 0) QSKIP("only root can be another user");
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    Greeter greeter;
    PollLoop loop;
    SocketServer server(loop, run_folder::socketPath("mine"), greeter);
    server.listen();
    QCOMPARE(::chmod(folder.path().toUtf8().constData(), 0711), 0);
    QCOMPARE(::chmod(server.path().parent_path().c_str(), 0711), 0);
    QCOMPARE(::chmod(server.path().c_str(), 0777), 0);
    std::optional<SocketClient> client;
    {
      const OtherUser other;
      client.emplace(server.path());
    }
    client->send(protocol::Hello{});
    serve(loop, *client);
    QVERIFY2(client->rest().empty(), "it is told nothing");
    SocketClient own(server.path());
    own.send(protocol::Hello{});
    serve(loop, own);
    QCOMPARE(own.expect<protocol::Welcome>().run, std::string("/run"));
  }

  /// As a newer version of the program may have written them.
  void unknownEventsAreSkipped() {
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    Greeter greeter;
    {
      auto writer = events::Writer::open(folder.path().toStdString());
      greeter.file = writer.path();
      for (const char* event : {R"({"type":"dance"})", "{", R"({"type":"log","level":1})",
                                R"({"type":"evaluation","path":"e"})"}) {
        events::Record record;
        record.kind = events::Record::Kind::Event;
        record.json = event;
        writer.append(record);
      }
    }
    PollLoop loop;
    SocketServer server(loop, run_folder::socketPath("unknown"), greeter);
    server.listen();
    SocketClient client(server.path());
    client.send(protocol::Hello{});
    serve(loop, client);
    QCOMPARE(client.expect<protocol::Welcome>().run, std::string("/run"));
    const auto next = client.next();
    const auto* evaluation = next ? std::get_if<protocol::Evaluation>(&*next) : nullptr;
    QVERIFY(evaluation);
    QCOMPARE(evaluation->seq, std::int64_t{4});
  }

  void descriptorLimitIsRaisedToTheMaximum() {
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    const rlimit before = descriptorLimit();
    const rlimit few{64, before.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
    Greeter greeter;
    PollLoop loop;
    SocketServer server(loop, run_folder::socketPath("raised"), greeter);
    server.listen();
    QCOMPARE(descriptorLimit().rlim_cur, before.rlim_max);
  }
};

LOCKSTEP_TEST(TstSocketServer)
#include "tst_socket_server.moc"
