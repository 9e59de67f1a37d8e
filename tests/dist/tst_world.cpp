#include <arpa/inet.h>
#include <dlfcn.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>

#include <QTest>
#include <atomic>
#include <future>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "engine/base/error.h"
#include "engine/dist/rendezvous.h"
#include "engine/dist/store_monitor.h"
#include "engine/dist/world.h"
#include "tests/dist/ranks.h"
#include "tests/support/contains.h"
#include "tests/support/message_of.h"
#include "tests/support/test_main.h"
#include "tests/support/torch.h"

using namespace lockstep;
using tests::onNodes;
using tests::onRanks;
using tests::require;

namespace {

/// An IPv4 address at which other machines can reach this one; empty: none.
std::string addressOfThisMachine() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, ::freeifaddrs);
  for (const ifaddrs* next = first; next != nullptr; next = next->ifa_next) {
    const bool isUp = (next->ifa_flags & IFF_UP) != 0 && (next->ifa_flags & IFF_LOOPBACK) == 0;
    if (!isUp || next->ifa_addr == nullptr || next->ifa_addr->sa_family != AF_INET) continue;
    char text[INET_ADDRSTRLEN];
    const auto* address = reinterpret_cast<const sockaddr_in*>(next->ifa_addr);
    return ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
  }
  return {};
}

/// The address of the first of two nodes, whose MASTER_ADDR is localhost, while the second node has
/// a real address of rank 0.
std::string addressOfRankZero(const std::string& towardsIt) {
  dist::WorldOptions options{
      .nodes = 2, .masterAddress = "localhost", .masterPort = tests::freePort()};
  auto first = std::async(std::launch::async, [options] { return dist::joinRendezvous(options); });
  options.node = 1;
  options.masterAddress = towardsIt;
  dist::joinRendezvous(options);
  return first.get().localAddress;
}

std::string textOf(int rank) { return std::string(static_cast<std::size_t>(rank) * 1000, 'a'); }

}  // namespace

class TstWorld : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void worldOfSizeOneNeedsNoProcessGroup() {
    const auto world = dist::joinWorld({});
    QCOMPARE(world->rank(), 0);
    QCOMPARE(world->size(), 1);
    for (const bool value : {true, false}) {
      world->beginAnyRank(value);
      QCOMPARE(world->finishAnyRank(), value);
      QCOMPARE(world->anyRank(value), value);
    }
    const std::string bytes("a\0b", 3);
    QVERIFY(world->gather(bytes) == std::vector<std::string>{bytes});
    QCOMPARE(world->broadcastBytes(bytes), bytes);
  }

  void ranksAreNumbered() {
    std::mutex mutex;
    std::vector<int> ranks;
    onRanks(3, [&](dist::World& world) {
      REQUIRE(world.size() == 3);
      REQUIRE(world.peerMonitor() == nullptr);
      world.broadcastBytes("");  // rank 0 keeps the store until all ranks have joined
      const std::lock_guard lock(mutex);
      ranks.push_back(world.rank());
    });
    std::ranges::sort(ranks);
    QVERIFY(ranks == std::vector<int>({0, 1, 2}));
  }

  /// The world size is the sum of the nodes' ranks, which may differ.
  void ranksAreNumberedByNode() {
    std::mutex mutex;
    std::vector<std::pair<int, int>> ranksAndSizes;
    onNodes({2, 1, 2}, [&](dist::World& world) {
      REQUIRE(world.peerMonitor() != nullptr);
      REQUIRE(world.broadcastBytes(textOf(5 - world.rank())) == textOf(5));
      const std::lock_guard lock(mutex);
      ranksAndSizes.emplace_back(world.rank(), world.size());
    });
    std::ranges::sort(ranksAndSizes);
    const std::vector<std::pair<int, int>> expected{{0, 5}, {1, 5}, {2, 5}, {3, 5}, {4, 5}};
    QVERIFY(ranksAndSizes == expected);
  }

  void bytesAreBroadcastAndGathered() {
    onRanks(3, [](dist::World& world) {
      const std::string odd("\0x\n", 3);
      REQUIRE(world.broadcastBytes(world.rank() == 0 ? odd : "other") == odd);
      REQUIRE(world.broadcastBytes(world.rank() == 0 ? "" : "other").empty());
      const auto gathered = world.gather(textOf(world.rank()));
      if (world.rank() == 0) {
        REQUIRE(gathered == std::vector<std::string>({textOf(0), textOf(1), textOf(2)}));
      } else {
        REQUIRE(gathered.empty());
      }
    });
  }

  void tensorsAreBroadcastWhateverTheirLayout() {
    onRanks(2, [](dist::World& world) {
      const at::Tensor map = torch::arange(2 * 3 * 4 * 5, torch::kFloat).reshape({2, 3, 4, 5});
      at::Tensor here = torch::zeros_like(map);
      // The other rank has another memory format.
      if (world.rank() == 1) here = here.contiguous(at::MemoryFormat::ChannelsLast);
      if (world.rank() == 0) here.copy_(map);
      const at::Tensor count = torch::full({}, world.rank() == 0 ? 7 : 0, torch::kLong);
      world.broadcast({here, count, torch::zeros({0})});
      REQUIRE(torch::equal(here, map));
      REQUIRE(count.item<std::int64_t>() == 7);
    });
  }

  void anyRankIsAnAllReduce() {
    onRanks(3, [](dist::World& world) {
      for (int trueRank = -1; trueRank < 3; ++trueRank) {
        world.beginAnyRank(world.rank() == trueRank);
        // Other collectives may run in between.
        REQUIRE(world.broadcastBytes(textOf(world.rank() + 1)) == textOf(1));
        REQUIRE(world.anyRank(world.rank() == 2 - trueRank) == (trueRank >= 0));
        REQUIRE(world.finishAnyRank() == (trueRank >= 0));
      }
    });
  }

  void sumOverRanksIsAnAllReduce() {
    onRanks(3, [](dist::World& world) {
      const auto sum = world.sumOverRanks(at::kCPU, std::nullopt);
      at::Tensor own = torch::full({4}, 1 << world.rank(), torch::kDouble);
      sum(own);
      REQUIRE(torch::equal(own, torch::full({4}, 7, torch::kDouble)));
    });
  }

  void ncclWithoutGpusIsRefusedOnAllRanks() {
    std::atomic<int> refusals = 0;
    onRanks(2, [&](dist::World& world) {
      try {
        world.sumOverRanks(at::kCPU, config::Backend::Nccl);
      } catch (const Error& error) {
        require(error.status() == ExitStatus::UserError, error.what());
        ++refusals;
      }
    });
    QCOMPARE(refusals.load(), 2);
  }

  /// If a collective fails, the observer's last call is `waiting`.
  void aRankThatExitsFailsTheOthersCollectives() {
    std::atomic<bool> waits = false;
    std::promise<int> listening;
    const std::shared_future<int> port = listening.get_future().share();
    std::jthread leaver([&] {
      dist::joinWorld({.localRank = 1, .localRanks = 2, .masterPort = port.get()})
          ->broadcastBytes("");
    });
    const auto world =
        dist::joinWorld({.localRanks = 2,
                         .onListening = [&](int opened) { listening.set_value(opened); },
                         .onCollective = [&](const char*, bool waiting) { waits = waiting; }});
    world->broadcastBytes("");
    leaver.join();
    QVERIFY(!waits);
    QVERIFY_THROWS_EXCEPTION(std::exception, world->gather("x"));
    QVERIFY(waits);
  }

  /// The limit covers the whole rendezvous, not each attempt or node.
  void waitingForTheOthersHasALimit_data() {
    QTest::addColumn<int>("node");
    QTest::addColumn<QString>("host");
    QTest::addColumn<QString>("expected");
    QTest::newRow("an unknown host") << 1 << "nowhere.invalid"
                                     << "nowhere.invalid: cannot be resolved: ";
    QTest::newRow("an unknown host, on rank 0") << 0 << "nowhere.invalid"
                                                << "nowhere.invalid: cannot be resolved: ";
    QTest::newRow("no rank 0") << 1 << "localhost"
                               << "rank 0's store did not respond within 1.5 s";
    QTest::newRow("no other nodes") << 0 << "localhost"
                                    << "node 1 did not join within 1.5 s";
  }
  void waitingForTheOthersHasALimit() {
    QFETCH(int, node);
    QFETCH(QString, host);
    QFETCH(QString, expected);
    const dist::WorldOptions options{.node = node,
                                     .nodes = 4,
                                     .masterAddress = host.toStdString(),
                                     .masterPort = tests::freePort(),
                                     .joinTimeout = std::chrono::milliseconds(1500)};
    const std::string message = tests::messageOf([&] { dist::joinWorld(options); });
    QVERIFY2(QString::fromStdString(message).contains(expected), message.c_str());
  }

  void rankZeroThatEndsWhileOthersJoinIsNamed() {
    c10d::TCPStoreOptions served;
    served.isServer = true;
    served.waitWorkers = false;
    auto store = std::make_unique<c10d::TCPStore>("localhost", served);
    const dist::WorldOptions options{.node = 1,
                                     .nodes = 2,
                                     .masterAddress = "localhost",
                                     .masterPort = store->getPort(),
                                     .storeIsServed = true};
    auto joined = std::async(std::launch::async, [&] { dist::joinRendezvous(options); });
    store->wait({"lockstep/0/node/1"});
    store.reset();
    const std::string message = tests::messageOf([&] { joined.get(); });
    QVERIFY2(tests::contains(message, "rank 0 ended before"), message.c_str());
  }

  void anExitReasonReachesRankZero() {
    std::latch heard(2);
    onNodes({1, 1}, [&](dist::World& world) {
      world.peerMonitor()->publish("at step " + std::to_string(7 + world.rank()));
      if (world.rank() == 1) {
        world.peerMonitor()->publishExit("no such image");
        heard.arrive_and_wait();
        return;
      }
      std::optional<dist::PeerMonitor::LostPeer> lost;
      while (!(lost = world.peerMonitor()->lostPeer())) std::this_thread::yield();
      heard.arrive_and_wait();
      REQUIRE(lost->rank == 1);
      REQUIRE(lost->exitReason == "no such image");
      REQUIRE(lost->secondsSinceHeartbeat < dist::PeerMonitor::kTimeoutSeconds);
    });
  }

  /// LibTorch's store asks for the name of each peer. `localhost` would be the answer.
  void addressesAreNotLookedUp() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    // What LibTorch's shared library calls.
    const auto used =
        reinterpret_cast<decltype(&::getnameinfo)>(::dlsym(RTLD_DEFAULT, "getnameinfo"));
    char host[NI_MAXHOST];
    QCOMPARE(used(reinterpret_cast<const sockaddr*>(&address), sizeof address, host, sizeof host,
                  nullptr, 0, 0),
             0);
    QCOMPARE(host, "127.0.0.1");
  }

  /// Connecting to it would hang.
  void aRankLostBeforeTheFirstCollectiveIsReported() {
    dist::WorldOptions options{
        .nodes = 2, .masterAddress = "localhost", .masterPort = tests::freePort()};
    const auto gone = std::async(std::launch::async, [options]() mutable {
      options.node = 1;
      dist::StoreMonitor(dist::joinRendezvous(options).connect(), 1, {})
          .publishExit("no such device");
    });
    const auto world = dist::joinWorld(options);
    std::optional<dist::PeerMonitor::LostPeer> lost;
    while (!(lost = world->peerMonitor()->lostPeer())) std::this_thread::yield();
    QCOMPARE(lost->rank, 1);
    QCOMPARE(lost->exitReason, "no such device");
  }

  /// A rank that cannot be reached sends no heartbeats; this also holds for rank 0.
  void missingHeartbeatsMeanALostRank_data() {
    QTest::addColumn<int>("silent");
    QTest::newRow("rank 0 misses another") << 1;
    QTest::newRow("others miss rank 0") << 0;
  }
  void missingHeartbeatsMeanALostRank() {
    QFETCH(int, silent);
    onNodes({1, 1}, [&](dist::World& world) {
      world.peerMonitor()->publish("at step 7");
      world.broadcastBytes("");
      if (world.rank() == silent) return;  // destroys its world, which stops the heartbeats
      std::optional<dist::PeerMonitor::LostPeer> lost;
      while (!(lost = world.peerMonitor()->lostPeer())) std::this_thread::yield();
      REQUIRE(lost->rank == silent);
      REQUIRE(lost->exitReason.empty());
      REQUIRE(lost->secondsSinceHeartbeat >= dist::PeerMonitor::kTimeoutSeconds);
    });
  }

  /// Some launchers give rank 0 MASTER_ADDR=localhost, at which other nodes cannot reach it.
  void masterAddressLocalhostIsReplacedByAReachableAddress() {
    const std::string outside = addressOfThisMachine();
    if (outside.empty()) QSKIP("this machine has no network");
    QCOMPARE(addressOfRankZero(outside), outside);
  }

  void localhostIsKeptOnOneMachine() {
    const std::string address = addressOfRankZero("localhost");
    QVERIFY2(address.starts_with("127.") || address == "::1", address.c_str());
  }

  void aPortInUseIsReported() {
    const tests::TakenPort taken;
    const dist::WorldOptions options{
        .nodes = 2, .masterAddress = "127.0.0.1", .masterPort = taken.number()};
    try {
      dist::joinWorld(options);
      QFAIL("it listened");
    } catch (const Error& error) {
      QVERIFY2(QByteArray(error.what()).contains("cannot listen on this port"), error.what());
    }
  }
};

LOCKSTEP_TEST(TstWorld)
#include "tst_world.moc"
