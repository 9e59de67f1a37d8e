#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <optional>

#include "engine/base/error.h"
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
  protocol::Welcome welcome() const override { return {"/run", 1, 0, "running"}; }
  std::filesystem::path eventFile() const override { return file; }
  std::optional<protocol::Reset> resetFor(const protocol::Hello&) const override { return {}; }
  void handle(const RequestToken&, const protocol::Command&) override {}
  void handle(const RequestToken&, const protocol::PredictRequest&) override {}
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
    const FileDescriptor lowestFree(::dup(STDERR_FILENO));
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

  void otherUsersDoNotReachTheSocket() {
    if (::geteuid() != 0) QSKIP("only root can be another user");
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    QCOMPARE(::chmod(folder.path().toUtf8().constData(), 0711), 0);
    Greeter greeter;
    PollLoop loop;
    const SocketServer server(loop, run_folder::socketPath("mine"), greeter);
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
    const SocketServer server(loop, run_folder::socketPath("mine"), greeter);
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
  void eventsThatAreNotKnownArePassedOver() {
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    Greeter greeter;
    {
      auto writer = events::Writer::open(folder.path().toStdString());
      greeter.file = writer.path();
      for (const char* json : {R"({"type":"dance"})", "{", R"({"type":"log","level":1})",
                               R"({"type":"evaluation","path":"e"})"}) {
        events::Record record;
        record.kind = events::Record::Kind::Event;
        record.json = json;
        writer.append(record);
      }
    }
    PollLoop loop;
    const SocketServer server(loop, run_folder::socketPath("unknown"), greeter);
    SocketClient client(server.path());
    client.send(protocol::Hello{});
    serve(loop, client);
    QCOMPARE(client.expect<protocol::Welcome>().run, std::string("/run"));
    const auto next = client.next();
    const auto* evaluation = next ? std::get_if<protocol::Evaluation>(&*next) : nullptr;
    QVERIFY(evaluation);
    QCOMPARE(evaluation->seq, std::int64_t{4});
  }

  void descriptorsAreAllThatTheSystemAllows() {
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    const rlimit before = descriptorLimit();
    const rlimit few{64, before.rlim_max};
    QCOMPARE(::setrlimit(RLIMIT_NOFILE, &few), 0);
    Greeter greeter;
    PollLoop loop;
    const SocketServer server(loop, run_folder::socketPath("raised"), greeter);
    QCOMPARE(descriptorLimit().rlim_cur, before.rlim_max);
  }
};

LOCKSTEP_TEST(TstSocketServer)
#include "tst_socket_server.moc"
