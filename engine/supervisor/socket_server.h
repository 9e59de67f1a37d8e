#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/supervisor/client_connection.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/service.h"

namespace lockstep::supervisor {

/// The local socket of a run: any number of clients of this user. None of them can block the loop.
class SocketServer {
 public:
  /// Raises RLIMIT_NOFILE to its maximum.
  SocketServer(PollLoop& loop, std::filesystem::path path, Service& service);
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;
  /// Closes every connection and removes the socket.
  ~SocketServer();

  const std::filesystem::path& path() const { return path_; }
  /// Removes a stale socket at path(). Throws Error when it cannot listen there; restoreSocket()
  /// may try again.
  void listen();
  /// No effect if the client has disconnected.
  void send(const RequestToken& token, const protocol::EngineMessage& message);
  /// The event log was truncated: sends a welcome and the reset to every client that follows it,
  /// and continues from there.
  void resetAll(const protocol::Reset& reset);
  /// Listens when it does not yet, or when somebody removed the socket; connected clients stay
  /// connected. To be called about once a second. Returns why it cannot listen, each reason once.
  std::optional<std::string> restoreSocket();
  /// Whether every client has been sent everything.
  bool isCaughtUp() const;

 private:
  void accept();
  void add(base::FileDescriptor socket);
  void handleReady(int fd, short events);
  void handleReceived(ClientConnection& client, ClientConnection::Received received);
  void dispatch(ClientConnection& client, const protocol::ClientMessage& message);
  void greet(ClientConnection& client, const protocol::Hello& hello);
  bool pumpAll();
  void dropBroken();

  PollLoop& loop_;
  std::filesystem::path path_;
  Service& service_;
  base::FileDescriptor listener_;
  ino_t inode_ = 0;
  std::string lastError_;  ///< why it does not listen, as restoreSocket() returned it
  std::map<int, std::unique_ptr<ClientConnection>> clients_;  ///< by descriptor
  std::int64_t nextNumber_ = 1;
  bool isFull_ = false;  ///< out of descriptors; retried later
};

/// Connects to a socket of this machine. Throws Error when no process listens there.
base::FileDescriptor connectTo(const std::filesystem::path& path);

}  // namespace lockstep::supervisor
