#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <fstream>
#include <functional>

#include "engine/base/error.h"
#include "engine/events/writer.h"
#include "engine/supervisor/service.h"
#include "engine/supervisor/socket_server.h"
#include "tests/support/fake_worker/engine_bench.h"
#include "tests/support/test_main.h"

using namespace lockstep;
using namespace lockstep::supervisor;
using tests::EngineBench;
using tests::SocketClient;
namespace fs = std::filesystem;

namespace {

constexpr int kClients = 50, kSilent = 10;

/// A log and nothing else.
struct LogService : Service {
  fs::path file;
  protocol::Welcome welcome() const override { return {"/run", 1, 0, protocol::RunState::Running}; }
  fs::path eventFile() const override { return file; }
  std::optional<protocol::Reset> resetFor(const protocol::Hello&) const override { return {}; }
  void handle(const RequestToken&, const protocol::Command&) override {}
  void handle(const RequestToken&, const protocol::PredictRequest&) override {}
  void handle(const RequestToken&, const protocol::CancelRequest&) override {}
  void handle(const RequestToken&, const protocol::QueueRequest&) override {}
  void handle(const RequestToken&, const protocol::ExplainRequest&) override {}
  void handle(const RequestToken&, const protocol::FileRequest&) override {}
};

/// Reads what is there and forgets it; knows the last step. (Decoding would take most of the time.)
struct Reading {
  explicit Reading(const fs::path& socket) : client(socket) { client.send(protocol::Hello{}); }

  /// False at the end of the connection.
  bool take() {
    char bytes[65536];
    ssize_t count = 0;
    while ((count = ::recv(client.fd(), bytes, sizeof bytes, MSG_DONTWAIT)) > 0)
      lines.append({bytes, static_cast<std::size_t>(count)});
    for (std::string line; lines.next(line) == protocol::LineBuffer::Result::Line;) {
      if (line.find("\"scalars\"") == std::string::npos) continue;
      const std::string expected = "\"step\":" + std::to_string(lastStep + 1) + ",";
      isInOrder = isInOrder && line.find(expected) != std::string::npos;
      ++lastStep;
    }
    return count != 0;
  }

  SocketClient client;
  protocol::LineBuffer lines;
  std::int64_t lastStep = 0;
  bool isInOrder = true;
};

events::ScalarValues gradientNorms() {
  events::ScalarValues values;
  for (int layer = 0; layer < 100; ++layer)
    values.emplace_back("grad_norm/backbone.body.layer" + std::to_string(layer), 0.123456f);
  return values;
}

std::size_t allocatedBytes() {
  const struct mallinfo2 info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Most memory that a process ever had, in KiB.
std::int64_t peakKib(qint64 pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6));
  return -1;
}

}  // namespace

class TstManyClients : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  /// Everything here is one thread: were the server to wait for a client that does not read, nobody
  /// would.
  void aClientThatNeverReadsCostsLittleAndBlocksNobody() {
    const QTemporaryDir folder;
    qputenv("XDG_RUNTIME_DIR", folder.path().toUtf8());
    constexpr int kSteps = 2000;  // 9 MB for each client
    LogService service;
    {
      auto writer = events::Writer::open(folder.path().toStdString());
      service.file = writer.path();
      events::Record record;
      record.kind = events::Record::Kind::Scalars;
      record.scalars = gradientNorms();
      for (record.step = 1; record.step <= kSteps; ++record.step) writer.append(record);
    }
    PollLoop loop;
    SocketServer server(loop, run_folder::socketPath("many"), service);
    server.listen();
    std::vector<std::unique_ptr<Reading>> readers, silent;
    for (int i = 0; i < kClients; ++i)
      (i % 5 == 0 ? silent : readers).push_back(std::make_unique<Reading>(server.path()));
    QCOMPARE(silent.size(), std::size_t{kSilent});
    loop.eachTurn([&] {
      bool isDone = true;
      for (const auto& reader : readers) {
        reader->take();
        isDone = isDone && reader->lastStep == kSteps;
      }
      if (isDone) loop.stop();
      return false;
    });
    loop.run();
    for (const auto& reader : readers) QVERIFY(reader->isInOrder);
    QVERIFY(!server.isCaughtUp());

    const std::size_t withSilent = allocatedBytes();
    for (const auto& client : silent) ::shutdown(client->client.fd(), SHUT_RDWR);
    loop.eachTurn([&, turns = 0]() mutable {
      if (++turns > 2) loop.stop();
      return true;
    });
    loop.run();
    const auto perClient =
        (static_cast<double>(withSilent) - static_cast<double>(allocatedBytes())) / kSilent;
    QVERIFY2(perClient < 2e6, std::to_string(perClient).c_str());
  }

  void aRunWithFiftyClientsEndsAndFortyReadEverything() {
    EngineBench bench;
    bench.script("state running 0\nwait pause\nscalars 1 4000\nfinish 4000\n");
    const auto engine = bench.start(
        {"train", "experiment.yaml", "--output", "runs/one", "--set", "solver.max_steps=4000"});
    QVERIFY(bench.waitForState("running"));
    const run_folder::Layout layout(bench.folder() / "runs/one");
    const fs::path socket = run_folder::readRunInfo(layout).socket;
    std::vector<std::unique_ptr<Reading>> readers, silent;
    for (int i = 0; i < kClients; ++i)
      (i % 5 == 0 ? silent : readers).push_back(std::make_unique<Reading>(socket));
    silent.front()->client.send(protocol::Command{"p", protocol::CommandName::Pause});
    std::int64_t peak = 0;
    readToTheEnd(readers, [&] { peak = std::max(peak, peakKib(engine->processId())); });
    QCOMPARE(EngineBench::finish(*engine).status, 0);
    QCOMPARE(tests::trainedSteps(layout).size(), std::size_t{4000});
    for (const auto& reader : readers) {
      QVERIFY(reader->isInOrder);
      QCOMPARE(reader->lastStep, std::int64_t{4000});
    }
    QVERIFY2(peak > 0 && peak < 200 << 10, std::to_string(peak).c_str());
  }

 private:
  static void readToTheEnd(const std::vector<std::unique_ptr<Reading>>& readers,
                           const std::function<void()>& look) {
    std::vector<pollfd> waited;
    for (const auto& reader : readers) waited.push_back({reader->client.fd(), POLLIN, 0});
    for (std::size_t open = waited.size(); open > 0;) {
      if (::poll(waited.data(), waited.size(), 20000) <= 0) throw Error("nothing more comes");
      look();
      for (std::size_t i = 0; i < waited.size(); ++i) {
        if (waited[i].fd < 0 || waited[i].revents == 0 || readers[i]->take()) continue;
        waited[i].fd = -1;
        --open;
      }
    }
  }
};

LOCKSTEP_TEST(TstManyClients)
#include "tst_many_clients.moc"
