#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "engine/base/file_descriptor.h"
#include "engine/serve/http_message.h"
#include "engine/supervisor/poll_loop.h"

namespace lockstep::serve {

struct HttpLimits {
  std::size_t bodyBytes = std::size_t{32} << 20;      ///< of a request
  std::size_t bodiesBytes = std::size_t{512} << 20;   ///< of all requests that are being read
  std::size_t answersBytes = std::size_t{512} << 20;  ///< of all answers that are being read
  std::size_t headerBytes = std::size_t{32} << 10;    ///< of a request, with its first line
  /// More have to wait; one that is idle, or sends or reads slowly, is closed for them.
  unsigned connections = 800;
  std::chrono::seconds beforeAsking{10};    ///< of a new connection, until its first request begins
  std::chrono::seconds idle{30};            ///< without a byte in either direction
  std::chrono::seconds head{10};            ///< of a request
  std::chrono::seconds receiving{60};       ///< from the first byte of a request to its last
  std::chrono::seconds sending{60};         ///< of an answer
  std::chrono::seconds reading{1};          ///< of an answer, until others may need its room
  std::chrono::milliseconds interval{500};  ///< between checks of these times
};

/// What a server's requests are for.
class HttpService {
 public:
  using RequestId = std::uint64_t;
  virtual ~HttpService() = default;
  /// Sees a request without its body, and may refuse it before that is read.
  virtual std::optional<HttpResponse> refusal(const HttpRequest& head) = 0;
  /// By refusal(), or by the server's limits.
  virtual void refused(const HttpRequest& /*head*/, int /*status*/) {}
  /// The whole request. HttpServer::respond() follows, from here or later.
  virtual void handle(RequestId id, HttpRequest request) = 0;
};

/// HTTP/1.1 on a TCP socket, in the thread of the loop. No client can block the others: bodies,
/// headers, connections and times are limited.
class HttpServer {
 public:
  using RequestId = HttpService::RequestId;

  /// Listens. `address`: an IPv4 or IPv6 address; port 0: any free one. Throws UserError where it
  /// cannot, as when the port is taken.
  HttpServer(supervisor::PollLoop& loop, const std::string& address, int port,
             const HttpLimits& limits, HttpService& service);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  /// Closes every connection.
  ~HttpServer();

  int port() const { return port_; }
  /// No effect if the client has gone. 503 instead where answers that others read slowly leave no
  /// room. Returns the status.
  int respond(RequestId id, HttpResponse response);
  /// Accepts no more connections, and closes each once it has its answer. To be called once.
  void stopListening();
  /// Whether no request is being read or answered.
  bool isIdle() const;

 private:
  struct Connection;
  using Clock = supervisor::PollLoop::Clock;

  void listen(const std::string& address, int port);
  bool canAccept();
  void accept();
  void handleReady(Connection& connection, short events);
  void read(Connection& connection);
  void handleRequests(Connection& connection);
  void begin(Connection& connection);
  void receive(Connection& connection);
  void answer(Connection& connection);
  void refuse(Connection& connection, HttpResponse why);
  void sendRefusal(Connection& connection);
  void dropBody(Connection& connection);
  void startSending(Connection& connection, HttpResponse response);
  void send(Connection& connection);
  void becomeIdle(Connection& connection);
  void close(Connection& connection);
  Connection* closable();
  void closeLate();

  supervisor::PollLoop& loop_;
  HttpLimits limits_;
  HttpService& service_;
  base::FileDescriptor listener_;
  int port_ = 0;
  supervisor::PollLoop::TimerId timer_ = 0;
  std::list<Connection> connections_;  ///< in the order in which they came
  std::map<RequestId, Connection*> waiting_;
  RequestId nextId_ = 1;
  std::size_t bodiesBytes_ = 0, answersBytes_ = 0;
  bool isDraining_ = false;
  bool isOutOfDescriptors_ = false;  ///< tried again later
};

}  // namespace lockstep::serve
