#include "engine/dist/rendezvous.h"

#include <arpa/inet.h>
#include <c10/util/Exception.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/base/number_text.h"

namespace lockstep::dist {
namespace {

using Clock = std::chrono::steady_clock;

/// Timeout of one attempt to connect to rank 0's store.
constexpr std::chrono::milliseconds kConnectTimeout{15'000};
/// Time from one attempt to the next: an attempt may also fail at once.
constexpr std::chrono::seconds kConnectInterval{1};

constexpr const char* kThisMachine = "127.0.0.1";

constexpr const char* kAnyPort = "9";  // nothing is sent there

Error systemError(const std::string& what) { return Error(what + ": " + std::strerror(errno)); }

/// A socket that listens on the loopback interface, at a port that the system chooses.
int listenHere() {
  base::FileDescriptor listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (listening.get() < 0 ||
      ::bind(listening.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listening.get(), SOMAXCONN) != 0) {
    throw systemError("rendezvous: cannot listen on a local port");
  }
  return listening.release();
}

std::string limitText(std::chrono::milliseconds limit) {
  const auto minutes = std::chrono::floor<std::chrono::minutes>(limit);
  return minutes == limit ? base::counted(static_cast<std::uint64_t>(minutes.count()), "minute")
                          : base::shortNumber(std::chrono::duration<double>(limit).count()) + " s";
}

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

/// Throws Error for a host that the name server does not know.
Addresses resolve(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_DGRAM;
  const int error = ::getaddrinfo(host.c_str(), kAnyPort, &hints, &found);
  if (error != 0)
    throw Error(host + ": cannot be resolved: " + ::gai_strerror(error) + " (MASTER_ADDR)");
  return {found, ::freeaddrinfo};
}

/// The local address of the route to `host`: the machine's own hostname may resolve to a loopback
/// address.
std::string addressTowards(const std::string& host) {
  const Addresses addresses = resolve(host);
  for (const addrinfo* next = addresses.get(); next != nullptr; next = next->ai_next) {
    const base::FileDescriptor probe(::socket(next->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    std::array<char, NI_MAXHOST> text{};
    // Connecting a datagram socket sends nothing: it only looks up the route.
    if (probe.get() >= 0 && ::connect(probe.get(), next->ai_addr, next->ai_addrlen) == 0 &&
        ::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
        ::getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text.data(), text.size(), nullptr,
                      0, NI_NUMERICHOST) == 0) {
      return text.data();
    }
  }
  throw Error(host + ": no route from this machine");
}

/// Key prefix of one (re)start: torchrun keeps its store when it restarts the ranks.
std::string keyPrefix() {
  const char* restarts = std::getenv("TORCHELASTIC_RESTART_COUNT");
  return std::string("lockstep/") + (restarts != nullptr ? restarts : "0");
}

bool isServer(const WorldOptions& options) {
  return options.node == 0 && options.localRank == 0 && !options.storeIsServed;
}

/// Connects to rank 0's store, which may start minutes later. TCPStore may take twice its timeout:
/// it tries a second time.
c10::intrusive_ptr<c10d::Store> connectStore(const std::string& host,
                                             c10d::TCPStoreOptions storeOptions,
                                             Clock::time_point deadline) {
  while (true) {
    const Clock::time_point begin = Clock::now();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - begin);
    storeOptions.timeout = std::clamp(left / 2, std::chrono::milliseconds(1), kConnectTimeout);
    try {
      return c10::make_intrusive<c10d::TCPStore>(host, storeOptions);
    } catch (const c10::DistError&) {
      if (Clock::now() >= deadline) throw;
    }
    std::this_thread::sleep_until(std::min(begin + kConnectInterval, deadline));
  }
}

c10::intrusive_ptr<c10d::Store> serveStore(const std::string& host,
                                           c10d::TCPStoreOptions storeOptions,
                                           std::chrono::milliseconds limit) {
  storeOptions.isServer = true;
  storeOptions.timeout = limit / 2;
  if (storeOptions.port == 0) {
    storeOptions.masterListenFd = listenHere();
    sockaddr_in address{};
    socklen_t length = sizeof address;
    ::getsockname(*storeOptions.masterListenFd, reinterpret_cast<sockaddr*>(&address), &length);
    storeOptions.port = ntohs(address.sin_port);
  }
  return c10::make_intrusive<c10d::TCPStore>(host, storeOptions);
}

c10::intrusive_ptr<c10d::Store> openStore(const WorldOptions& options, Clock::time_point deadline) {
  c10d::TCPStoreOptions storeOptions;
  storeOptions.waitWorkers = false;
  storeOptions.useLibUV = false;  // the libuv server does not accept masterListenFd
  storeOptions.port = static_cast<std::uint16_t>(options.masterPort);
  const std::string host = options.masterAddress.empty() ? kThisMachine : options.masterAddress;
  try {
    auto store = isServer(options) ? serveStore(host, storeOptions, options.joinTimeout)
                                   : connectStore(host, storeOptions, deadline);
    store->setTimeout(options.joinTimeout);
    return store;
  } catch (const Error&) {  // listenHere() failed
    throw;
  } catch (const std::exception&) {
    resolve(host);  // throws if that is the reason
    const std::string endpoint = host + " port " + std::to_string(options.masterPort);
    throw Error(isServer(options)
                    ? endpoint +
                          ": rank 0 cannot listen on this port (MASTER_ADDR, MASTER_PORT): is "
                          "another program using the port?"
                    : endpoint + ": rank 0's store did not respond within " +
                          limitText(options.joinTimeout) + " (MASTER_ADDR, MASTER_PORT)");
  }
}

bool isLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

/// What a node publishes in the store when it joins.
struct Node {
  int ranks = 0;
  std::string address;  ///< of its machine, from which it reaches rank 0
};

std::string nodeKey(int node) { return "node/" + std::to_string(node); }

void announce(c10d::Store& store, int nodeRank, const Node& node) {
  const std::string text = std::to_string(node.ranks) + " " + node.address;
  store.set(nodeKey(nodeRank), std::vector<std::uint8_t>(text.begin(), text.end()));
}

/// Waits until a node has joined.
Node waitForNode(c10d::Store& store, int nodeRank, const WorldOptions& options,
                 Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
  try {
    store.wait({nodeKey(nodeRank)}, std::max(left, std::chrono::milliseconds(1)));
    const auto bytes = store.get(nodeKey(nodeRank));
    const std::string text(bytes.begin(), bytes.end());
    return {std::atoi(text.c_str()), text.substr(text.find(' ') + 1)};
  } catch (const c10::DistNetworkError&) {
    throw Error("rank 0 ended before all nodes had joined: its own messages say why");
  } catch (const std::exception&) {
    throw Error("node " + std::to_string(nodeRank) + " did not join within " +
                limitText(options.joinTimeout) + ": has it been started?");
  }
}

/// The address at which all other nodes reach this machine. If MASTER_ADDR resolves to a loopback
/// address on this machine (some launchers give rank 0 `localhost`, and a machine's own hostname is
/// often a loopback address), it is the local address of the route to another node; if all nodes
/// are on this machine, loopback will do.
std::string addressForAll(const std::string& towardsMaster, const std::vector<Node>& nodes) {
  if (!isLoopback(towardsMaster)) return towardsMaster;
  for (const Node& node : nodes)
    if (!isLoopback(node.address)) return addressTowards(node.address);
  return towardsMaster;
}

}  // namespace

Rendezvous joinRendezvous(const WorldOptions& options) {
  Rendezvous rendezvous;
  const Clock::time_point deadline = Clock::now() + options.joinTimeout;
  const auto plain = openStore(options, deadline);
  if (options.onListening && options.node == 0 && options.localRank == 0) {
    options.onListening(static_cast<c10d::TCPStore&>(*plain).getPort());
  }
  rendezvous.store = c10::make_intrusive<c10d::PrefixStore>(keyPrefix(), plain);
  rendezvous.connect = [plain] {
    return c10::make_intrusive<c10d::PrefixStore>(keyPrefix(), plain->clone());
  };
  const Node own{options.localRanks,
                 options.nodes == 1 ? kThisMachine : addressTowards(options.masterAddress)};
  if (options.localRank == 0) announce(*rendezvous.store, options.node, own);
  std::vector<Node> nodes;
  rendezvous.size = 0;
  for (int node = 0; node < options.nodes; ++node) {
    nodes.push_back(node == options.node ? own
                                         : waitForNode(*rendezvous.store, node, options, deadline));
    if (node == options.node) rendezvous.firstLocalRank = rendezvous.size;
    rendezvous.size += nodes.back().ranks;
  }
  rendezvous.rank = rendezvous.firstLocalRank + options.localRank;
  rendezvous.localAddress = addressForAll(own.address, nodes);
  return rendezvous;
}

}  // namespace lockstep::dist
