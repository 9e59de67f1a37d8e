#include "tests/dist/ranks.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <exception>
#include <future>
#include <stdexcept>
#include <thread>

namespace lockstep::tests {
namespace {

/// The exceptions of the ranks' threads, in order of rank.
class Threads {
 public:
  void add(const std::function<void()>& body) {
    const std::size_t index = exceptions_.size();
    exceptions_.emplace_back();
    bodies_.emplace_back([this, index, body] {
      try {
        body();
      } catch (...) {
        exceptions_[index] = std::current_exception();
      }
    });
  }
  void run() {
    std::vector<std::jthread> threads;
    for (const auto& body : bodies_) threads.emplace_back(body);
    threads.clear();
    for (const std::exception_ptr& exception : exceptions_)
      if (exception) std::rethrow_exception(exception);
  }

 private:
  std::vector<std::function<void()>> bodies_;
  std::vector<std::exception_ptr> exceptions_;
};

}  // namespace

void onRanks(int count, const std::function<void(dist::World&)>& body) {
  std::promise<int> listening;
  const std::shared_future<int> port = listening.get_future().share();
  Threads threads;
  for (int rank = 0; rank < count; ++rank) {
    threads.add([&, rank] {
      dist::WorldOptions options{.localRank = rank, .localRanks = count};
      if (rank == 0) {
        options.onListening = [&](int opened) { listening.set_value(opened); };
      } else {
        options.masterPort = port.get();
      }
      body(*dist::joinWorld(options));
    });
  }
  threads.run();
}

void onNodes(const std::vector<int>& ranks, const std::function<void(dist::World&)>& body) {
  const int port = freePort();
  Threads threads;
  for (std::size_t node = 0; node < ranks.size(); ++node) {
    for (int rank = 0; rank < ranks[node]; ++rank) {
      threads.add([&, node, rank] {
        body(*dist::joinWorld({.node = static_cast<int>(node),
                               .nodes = static_cast<int>(ranks.size()),
                               .localRank = rank,
                               .localRanks = ranks[node],
                               .masterAddress = "localhost",
                               .masterPort = port}));
      });
    }
  }
  threads.run();
}

void require(bool holds, const std::string& what) {
  if (!holds) throw std::runtime_error(what);
}

TakenPort::TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(socket_.get(), any, length) != 0 || ::listen(socket_.get(), 1) != 0 ||
      ::getsockname(socket_.get(), any, &length) != 0) {
    throw std::runtime_error("no port to listen at");
  }
  number_ = ntohs(address.sin_port);
}

int freePort() { return TakenPort().number(); }

}  // namespace lockstep::tests
