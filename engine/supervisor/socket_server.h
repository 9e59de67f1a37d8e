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

/// The local socket of a run: any number of clients of this user. None of them can make the loop
/// wait.
class SocketServer {
 public:
  /// Lets this process open as many files as the system allows it.
  SocketServer(PollLoop& loop, std::filesystem::path path, Service& service);
  SocketServer(const SocketServer&) = delete;
  SocketServer& operator=(const SocketServer&) = delete;
  /// Closes every connection and removes the socket.
  ~SocketServer();

  const std::filesystem::path& path() const { return path_; }
  /// A stale socket at path() is removed. Throws Error when there can be none: restoreSocket()
  /// tries again.
  void listen();
  /// Nothing happens when the client has gone.
  void send(const RequestToken& token, const protocol::EngineMessage& message);
  /// The log was cut: greets everybody who follows it again, and goes on from there.
  void resetAll(const protocol::Reset& reset);
  /// Makes the socket again when somebody removed it, or when there could be none before. To be
  /// called about once a second; who is connected stays so. Why it cannot be made, once for every
  /// reason.
  std::optional<std::string> restoreSocket();
  /// Every client has everything.
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
  std::string trouble_;  ///< why there is no socket, as it was told
  std::map<int, std::unique_ptr<ClientConnection>> clients_;  ///< by descriptor
  std::int64_t nextNumber_ = 1;
  bool isFull_ = false;  ///< no descriptor is left for another client: tried again later
};

/// Connects to a socket of this machine. Throws Error when nobody answers there.
base::FileDescriptor connectTo(const std::filesystem::path& path);

}  // namespace lockstep::supervisor
