#include "engine/supervisor/socket_server.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::supervisor {
namespace {

sockaddr_un addressOf(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof address.sun_path) {
    throw UserError(path.string() + ": too long for a socket (107 bytes)");
  }
  std::memcpy(address.sun_path, path.c_str(), path.native().size());
  return address;
}

base::FileDescriptor makeSocket(int flags) {
  base::FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!socket.isOpen()) throw Error(std::string("socket: ") + std::strerror(errno));
  return socket;
}

/// Every client takes two descriptors, and the usual limit is 1024. It is meant for programs that
/// select(2), which this one does not.
void raiseDescriptorLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// Empty for a greeting, which has none.
std::string idOf(const protocol::ClientMessage& message) {
  return std::visit(
      [](const auto& content) -> std::string {
        if constexpr (requires { content.id; }) return content.id;
        return {};
      },
      message);
}

bool isSameUser(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == ::geteuid();
}

}  // namespace

SocketServer::SocketServer(PollLoop& loop, std::filesystem::path path, Service& service)
    : loop_(loop), path_(std::move(path)), service_(service) {
  raiseDescriptorLimit();
  loop_.eachTurn([this] { return pumpAll(); });
}

SocketServer::~SocketServer() {
  for (const auto& [fd, client] : clients_) loop_.unwatch(fd);
  loop_.unwatch(listener_.get());
  struct stat status {};
  if (::lstat(path_.c_str(), &status) == 0 && status.st_ino == inode_) ::unlink(path_.c_str());
}

void SocketServer::listen() {
  run_folder::ensureSocketFolder();
  base::FileDescriptor socket = makeSocket(SOCK_NONBLOCK);
  const sockaddr_un address = addressOf(path_);
  ::unlink(path_.c_str());  // it is stale: this process holds the run's lock
  struct stat status {};
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), 64) != 0 || ::lstat(path_.c_str(), &status) != 0) {
    throw Error(path_.string() + ": the socket cannot be created: " + std::strerror(errno));
  }
  if (listener_.isOpen()) loop_.unwatch(listener_.get());
  listener_ = std::move(socket);
  inode_ = status.st_ino;
  lastError_.clear();
  loop_.watch(
      listener_.get(), [this] { return isFull_ ? short{0} : short{POLLIN}; },
      [this](short) { accept(); });
}

void SocketServer::resetAll(const protocol::Reset& reset) {
  for (const auto& [fd, client] : clients_) {
    if (!client->isFollowing()) continue;
    client->send(service_.welcome());
    client->send(reset);
    client->follow(service_.eventFile(), std::min(client->lastSeq(), reset.seq));
  }
}

std::optional<std::string> SocketServer::restoreSocket() {
  isFull_ = false;
  struct stat status {};
  if (::lstat(path_.c_str(), &status) == 0 && status.st_ino == inode_) return std::nullopt;
  try {
    listen();
  } catch (const Error& error) {
    if (std::exchange(lastError_, error.what()) != error.what()) return lastError_;
  }
  return std::nullopt;
}

void SocketServer::accept() {
  while (true) {
    base::FileDescriptor socket(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket.isOpen()) {
      // The client stays in the queue, and each poll() would return at once for it.
      isFull_ = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      return;
    }
    if (isSameUser(socket.get())) add(std::move(socket));
  }
}

void SocketServer::add(base::FileDescriptor socket) {
  const int fd = socket.get();
  auto client = std::make_unique<ClientConnection>(std::move(socket), nextNumber_++);
  ClientConnection& added = *client;
  clients_[fd] = std::move(client);
  loop_.watch(
      fd,
      [&added] {
        return static_cast<short>((added.wantsToRead() ? POLLIN : 0) |
                                  (added.wantsToWrite() ? POLLOUT : 0));
      },
      [this, fd](short events) { handleReady(fd, events); });
}

void SocketServer::handleReady(int fd, short events) {
  ClientConnection& client = *clients_.at(fd);
  if ((events & (POLLERR | POLLNVAL)) != 0) client.markBroken();
  if ((events & POLLOUT) != 0) client.flush();
  if ((events & POLLIN) != 0) {
    for (auto& received : client.receive()) handleReceived(client, std::move(received));
  } else if ((events & POLLHUP) != 0) {
    client.markBroken();
  }
}

void SocketServer::handleReceived(ClientConnection& client, ClientConnection::Received received) {
  if (!received.message) return client.send(received.error);
  try {
    dispatch(client, *received.message);
  } catch (const std::exception& error) {
    // Whatever it asked for that cannot be had (an event file that does not open): training goes
    // on without this client.
    client.send(protocol::ErrorReply{idOf(*received.message), error.what()});
    client.closeWhenSent();
  }
}

void SocketServer::dispatch(ClientConnection& client, const protocol::ClientMessage& message) {
  if (const auto* hello = std::get_if<protocol::Hello>(&message)) return greet(client, *hello);
  std::visit(
      [&](const auto& request) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(request)>, protocol::Hello>) {
          service_.handle(RequestToken{client.number(), request.id}, request);
        }
      },
      message);
}

void SocketServer::greet(ClientConnection& client, const protocol::Hello& hello) {
  client.send(service_.welcome());
  std::int64_t since = hello.since;
  if (const auto reset = service_.resetFor(hello)) {
    client.send(*reset);
    since = std::min(since, reset->seq);
  }
  client.follow(service_.eventFile(), since);
}

void SocketServer::send(const RequestToken& token, const protocol::EngineMessage& message) {
  for (const auto& [fd, client] : clients_) {
    if (client->number() == token.client) client->send(message);
  }
}

bool SocketServer::pumpAll() {
  bool moreToDo = false;
  for (const auto& [fd, client] : clients_) {
    try {
      client->pump(service_.pendingEvents());
    } catch (const std::exception& error) {
      client->send(protocol::ErrorReply{"", error.what()});
      client->closeWhenSent();
    }
    client->flush();
    moreToDo = moreToDo || client->canPump();
  }
  dropBroken();
  return moreToDo;
}

void SocketServer::dropBroken() {
  for (auto client = clients_.begin(); client != clients_.end();) {
    if (client->second->isBroken()) {
      loop_.unwatch(client->first);
      service_.clientGone(client->second->number());
      client = clients_.erase(client);
      isFull_ = false;
    } else {
      ++client;
    }
  }
}

bool SocketServer::isCaughtUp() const {
  for (const auto& [fd, client] : clients_) {
    if (!client->isCaughtUp()) return false;
  }
  return true;
}

base::FileDescriptor connectTo(const std::filesystem::path& path) {
  base::FileDescriptor socket = makeSocket(0);
  const sockaddr_un address = addressOf(path);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw Error(path.string() + ": cannot connect: " + std::strerror(errno));
  }
  return socket;
}

}  // namespace lockstep::supervisor
