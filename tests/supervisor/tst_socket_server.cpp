#include <sys/resource.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <optional>

#include "engine/supervisor/socket_server.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::supervisor;
using tests::SocketClient;

namespace {

/// Serves nothing but greetings.
struct Greeter : Service {
  protocol::Welcome welcome() const override { return {"/run", 1, 0, "running"}; }
  std::filesystem::path eventFile() const override { return {}; }
  std::optional<protocol::Reset> resetFor(const protocol::Hello&) const override { return {}; }
  void handle(const RequestToken&, const protocol::Command&) override {}
  void handle(const RequestToken&, const protocol::PredictRequest&) override {}
};

rlimit descriptorLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  return limit;
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
