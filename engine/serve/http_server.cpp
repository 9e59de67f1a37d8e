#include "engine/serve/http_server.h"

#include <microhttpd.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>

#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace lockstep::serve {
namespace {

constexpr int kBacklog = 1024;
constexpr std::chrono::milliseconds kServerTurnInterval{500};

struct Addresses {
  addrinfo* first = nullptr;
  ~Addresses() {
    if (first != nullptr) ::freeaddrinfo(first);
  }
};

std::string placeOf(const std::string& address, int port) {
  const bool isIpv6 = address.find(':') != std::string::npos;
  return (isIpv6 ? "[" + address + "]" : address) + ":" + std::to_string(port);
}

/// Why a proxy may read a request otherwise than this server, and so let another one hide in it;
/// null: it may not. libmicrohttpd keeps a space before the colon as a part of the name.
const char* ambiguityOf(const HttpRequest& request) {
  std::size_t ways = 0;
  bool isKnown = true;
  for (const auto& [name, value] : request.headers) {
    if (name.find_first_of(" \t") != std::string::npos)
      return "the name of a header has a space in it";
    const bool isEncoding = name == "transfer-encoding";
    if (isEncoding && base::lowerCase(withoutSpace(value)) != "chunked") isKnown = false;
    if (isEncoding || name == "content-length") ++ways;
  }
  const bool isClear = isKnown && ways <= 1;
  return isClear ? nullptr : "give one Content-Length, or Transfer-Encoding: chunked";
}

HttpResponse tooLarge(const HttpLimits& limits) {
  return errorResponse(413,
                       "the body is larger than " + std::to_string(limits.bodyBytes) + " bytes");
}

int portOf(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  std::array<char, NI_MAXSERV> text{};
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  ::getnameinfo(reinterpret_cast<sockaddr*>(&address), length, nullptr, 0, text.data(), text.size(),
                NI_NUMERICSERV);
  return std::atoi(text.data());
}

}  // namespace

struct HttpServer::Connection {
  int socket = -1;
  Clock::time_point since = Clock::now();  ///< of its state
  Exchange* exchange = nullptr;
  bool hasAsked = false;
};

struct HttpServer::Exchange {
  enum class State { Receiving, Waiting, Sending };
  RequestId id = 0;
  MHD_Connection* connection = nullptr;
  HttpRequest request;
  HttpResponse response;
  State state = State::Receiving;
  bool hasZero = false;    ///< in its address, which ends there once it is decoded
  bool isBegun = false;    ///< its head is there
  bool isRefused = false;  ///< `response` says why; the rest of the body is dropped
  bool isAnswered = false;
  bool isSuspended = false;
};

/// Their first argument is the server.
struct HttpServer::Callbacks {
  /// Null: there was no memory for it.
  static Connection* connectionOf(MHD_Connection* connection) {
    const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return static_cast<Connection*>(info->socket_context);
  }

  static void notifyConnection(void* server, MHD_Connection* connection, void** context,
                               MHD_ConnectionNotificationCode code) {
    auto& self = *static_cast<HttpServer*>(server);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
      const auto* info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
      try {
        *context = &self.connections_.emplace_back(Connection{info->connect_fd});
        self.makeRoom();
      } catch (const std::bad_alloc&) {  // its first request is refused
      }
      return;
    }
    auto* const own = static_cast<Connection*>(*context);
    if (own == nullptr) return;
    endExchange(self, *own);
    if (self.connections_.size() >= self.limits_.connections) self.hasMadeRoom_ = true;
    self.connections_.remove_if([&](const Connection& each) { return &each == own; });
  }

  /// The first line of a request is there. Null: there is no memory for it.
  static void* beginRequest(void* server, const char* address, MHD_Connection* connection) {
    auto& self = *static_cast<HttpServer*>(server);
    Connection* const own = connectionOf(connection);
    if (own == nullptr) return nullptr;
    endExchange(self, *own);
    try {
      auto exchange = std::make_unique<Exchange>();
      exchange->id = self.nextId_++;
      exchange->connection = connection;
      exchange->hasZero = std::strstr(address, "%00") != nullptr;
      auto& kept = self.exchanges_[exchange->id] = std::move(exchange);
      own->exchange = kept.get();
      own->since = Clock::now();
      own->hasAsked = true;
      return kept.get();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }

  /// Exceptions must not pass libmicrohttpd: it closes the connection.
  static MHD_Result access(void* server, MHD_Connection*, const char* path, const char* method,
                           const char*, const char* data, std::size_t* bytes, void** context) {
    if (*context == nullptr) return MHD_NO;
    auto& self = *static_cast<HttpServer*>(server);
    auto& exchange = *static_cast<Exchange*>(*context);
    try {
      bool goesOn = false;
      if (!exchange.isBegun) {
        exchange.isBegun = true;
        exchange.request.method = method;
        exchange.request.path = path;
        goesOn = self.begin(exchange);
      } else if (*bytes > 0) {
        goesOn = self.receive(exchange, data, std::exchange(*bytes, 0));
      } else {
        goesOn = self.answer(exchange);
      }
      return goesOn ? MHD_YES : MHD_NO;
    } catch (...) {
      return MHD_NO;
    }
  }

  static void endRequest(void* server, MHD_Connection* connection, void** context,
                         MHD_RequestTerminationCode) {
    if (*context != nullptr)
      endExchange(*static_cast<HttpServer*>(server), *connectionOf(connection));
  }

  /// That of the connection, if there is one: libmicrohttpd gives up some without endRequest().
  static void endExchange(HttpServer& self, Connection& own) {
    Exchange* const exchange = std::exchange(own.exchange, nullptr);
    if (exchange == nullptr) return;
    own.since = Clock::now();
    self.bodiesBytes_ -= exchange->request.body.size();
    self.answersBytes_ -= exchange->response.body.size();
    self.exchanges_.erase(exchange->id);
  }

  static MHD_Result addHeader(void* request, MHD_ValueKind, const char* name, const char* value) {
    static_cast<HttpRequest*>(request)->headers.emplace_back(base::lowerCase(name),
                                                             value ? value : "");
    return MHD_YES;
  }
  static MHD_Result addParameter(void* request, MHD_ValueKind, const char* name,
                                 const char* value) {
    static_cast<HttpRequest*>(request)->query.emplace_back(name, value ? value : "");
    return MHD_YES;
  }
};

HttpServer::HttpServer(supervisor::PollLoop& loop, const std::string& address, int port,
                       const HttpLimits& limits, HttpService& service)
    : loop_(loop), limits_(limits), service_(service) {
  listen(address, port);
  startDaemon();
  timer_ = loop_.every(kServerTurnInterval, [this] {
    turn();
    closeLate();
  });
}

HttpServer::~HttpServer() {
  loop_.cancel(timer_);
  loop_.unwatch(epoll_);
  for (const auto& [id, exchange] : exchanges_)
    if (exchange->isSuspended) MHD_resume_connection(exchange->connection);
  MHD_stop_daemon(daemon_);
}

void HttpServer::listen(const std::string& address, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
  Addresses found;
  if (const int error =
          ::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found.first);
      error != 0)
    throw UserError("--bind " + address + ": " + ::gai_strerror(error) +
                    "; give an IPv4 or IPv6 address, such as 127.0.0.1 or 0.0.0.0");
  const addrinfo& one = *found.first;
  listener_.reset(::socket(one.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int on = 1;
  ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!listener_.isOpen() || ::bind(listener_.get(), one.ai_addr, one.ai_addrlen) != 0 ||
      ::listen(listener_.get(), kBacklog) != 0) {
    const int error = errno;
    throw UserError("cannot listen on " + placeOf(address, port) + ": " + std::strerror(error) +
                    (error == EADDRINUSE ? "; another program has this port: give --port another"
                                         : "; give --bind and --port others"));
  }
  port_ = portOf(listener_.get());
}

void HttpServer::startDaemon() {
  const auto idle = static_cast<unsigned>(limits_.idle.count());
  daemon_ = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, &Callbacks::access, this,
      MHD_OPTION_LISTEN_SOCKET, listener_.get(), MHD_OPTION_CONNECTION_LIMIT, limits_.connections,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, limits_.headerBytes, MHD_OPTION_CONNECTION_TIMEOUT, idle,
      MHD_OPTION_URI_LOG_CALLBACK, &Callbacks::beginRequest, this, MHD_OPTION_NOTIFY_CONNECTION,
      &Callbacks::notifyConnection, this, MHD_OPTION_NOTIFY_COMPLETED, &Callbacks::endRequest, this,
      MHD_OPTION_END);
  if (daemon_ == nullptr) throw Error("the HTTP server cannot start (libmicrohttpd)");
  listener_.release();  // the daemon closes it
  epoll_ = MHD_get_daemon_info(daemon_, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
  loop_.watch(
      epoll_, [] { return static_cast<short>(POLLIN); }, [](short) {});
  loop_.eachTurn([this] { return turn(); });
}

/// Returns whether there is more to do at once: libmicrohttpd takes its listener back only in the
/// run after the one that closes a connection of a full server.
bool HttpServer::turn() {
  hasMadeRoom_ = false;
  MHD_run(daemon_);
  if (hasMadeRoom_) return true;
  MHD_UNSIGNED_LONG_LONG left = 0;
  return MHD_get_timeout(daemon_, &left) == MHD_YES && left == 0;
}

/// The head of a request is there.
bool HttpServer::begin(Exchange& exchange) {
  HttpRequest& request = exchange.request;
  MHD_get_connection_values(exchange.connection, MHD_HEADER_KIND, &Callbacks::addHeader, &request);
  MHD_get_connection_values(exchange.connection, MHD_GET_ARGUMENT_KIND, &Callbacks::addParameter,
                            &request);
  if (const char* why = ambiguityOf(request)) {
    refuse(exchange, errorResponse(400, why));
    exchange.response.headers.emplace_back("Connection", "close");
    return queue(exchange);
  }
  std::uint64_t length = 0;
  const std::string_view given = request.header("content-length");
  std::from_chars(given.data(), given.data() + given.size(), length);
  std::optional<HttpResponse> refusal = exchange.hasZero
                                            ? errorResponse(400, "the address has a zero in it")
                                            : service_.refusal(request);
  if (!refusal && length > limits_.bodyBytes) refusal = tooLarge(limits_);
  if (!refusal) return true;
  refuse(exchange, *std::move(refusal));
  // Who sends a body meanwhile would find a broken connection instead of the answer: it is read and
  // dropped. Who waits, or has too much, is answered at once, and the connection ends with that.
  const bool hasBody = length > 0 || !request.header("transfer-encoding").empty();
  const bool isSending = length <= limits_.bodyBytes && request.header("expect").empty();
  return hasBody && !isSending ? queue(exchange) : true;
}

bool HttpServer::receive(Exchange& exchange, const char* data, std::size_t bytes) {
  if (exchange.isRefused) return true;
  std::string& body = exchange.request.body;
  if (body.size() + bytes > limits_.bodyBytes) {
    refuse(exchange, tooLarge(limits_));
  } else if (bodiesBytes_ + bytes > limits_.bodiesBytes) {
    refuse(exchange, busyResponse("too many bodies are being read"));
  } else {
    body.append(data, bytes);
    bodiesBytes_ += bytes;
  }
  return true;
}

/// What is still to come of its body is dropped.
void HttpServer::refuse(Exchange& exchange, HttpResponse why) {
  exchange.isRefused = true;
  setResponse(exchange, std::move(why));
  bodiesBytes_ -= exchange.request.body.size();
  exchange.request.body = {};
  service_.refused(exchange.request, exchange.response.status);
}

/// The whole request is there, or the answer is.
bool HttpServer::answer(Exchange& exchange) {
  if (!exchange.isAnswered && exchange.state == Exchange::State::Receiving) {
    exchange.state = Exchange::State::Waiting;
    bodiesBytes_ -= exchange.request.body.size();
    HttpRequest request = std::exchange(exchange.request, {});
    service_.handle(exchange.id, std::move(request));
  }
  if (exchange.isAnswered) return queue(exchange);
  exchange.isSuspended = true;
  MHD_suspend_connection(exchange.connection);
  return true;
}

bool HttpServer::queue(Exchange& exchange) {
  exchange.state = Exchange::State::Sending;
  Callbacks::connectionOf(exchange.connection)->since = Clock::now();
  const HttpResponse& own = exchange.response;
  MHD_Response* response = MHD_create_response_from_buffer(
      own.body.size(), const_cast<char*>(own.body.data()), MHD_RESPMEM_PERSISTENT);
  if (response == nullptr) return false;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, own.type.c_str());
  for (const auto& [name, value] : own.headers)
    MHD_add_response_header(response, name.c_str(), value.c_str());
  if (isDraining_) MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
  const MHD_Result isQueued =
      MHD_queue_response(exchange.connection, static_cast<unsigned>(own.status), response);
  MHD_destroy_response(response);
  return isQueued == MHD_YES;
}

void HttpServer::setResponse(Exchange& exchange, HttpResponse response) {
  answersBytes_ += response.body.size();
  exchange.response = std::move(response);
  exchange.isAnswered = true;
}

int HttpServer::respond(RequestId id, HttpResponse response) {
  const auto found = exchanges_.find(id);
  if (found == exchanges_.end() || found->second->isAnswered) return response.status;
  Exchange& exchange = *found->second;
  if (answersBytes_ + response.body.size() > limits_.answersBytes)
    response = busyResponse("too many answers are being read");
  const int status = response.status;
  setResponse(exchange, std::move(response));
  if (std::exchange(exchange.isSuspended, false)) MHD_resume_connection(exchange.connection);
  return status;
}

void HttpServer::stopListening() {
  isDraining_ = true;
  const int listener = MHD_quiesce_daemon(daemon_);
  if (listener >= 0) ::close(listener);
}

/// Where no more connections are accepted, closes the one that has been idle for longest, or else
/// the one whose request has been coming for longest, or else the one that has been reading its
/// answer for longest, so that whoever comes next is answered. The newest is about to ask.
void HttpServer::makeRoom() {
  if (connections_.size() < limits_.connections) return;
  const auto isIdle = [](const Connection& each) { return each.exchange == nullptr; };
  const auto isReceiving = [](const Connection& each) {
    return each.exchange != nullptr && each.exchange->state == Exchange::State::Receiving;
  };
  const auto isSlowToRead = [this, now = Clock::now()](const Connection& each) {
    return each.exchange != nullptr && each.exchange->state == Exchange::State::Sending &&
           now - each.since > limits_.reading;
  };
  if (!closeOldest(isIdle) && !closeOldest(isReceiving)) closeOldest(isSlowToRead);
}

/// Returns whether there is one of these, besides the newest.
bool HttpServer::closeOldest(const std::function<bool(const Connection&)>& isOne) {
  const Connection* oldest = nullptr;
  for (const Connection& each : connections_)
    if (&each != &connections_.back() && isOne(each) &&
        (oldest == nullptr || each.since < oldest->since))
      oldest = &each;
  if (oldest != nullptr) ::shutdown(oldest->socket, SHUT_RDWR);
  return oldest != nullptr;
}

/// libmicrohttpd closes what is silent; this, also what goes on for too long.
void HttpServer::closeLate() {
  makeRoom();
  const auto now = Clock::now();
  for (const Connection& connection : connections_) {
    const Exchange* exchange = connection.exchange;
    if (exchange != nullptr && exchange->state == Exchange::State::Waiting) continue;
    const auto most = !connection.hasAsked                            ? limits_.beforeAsking
                      : exchange == nullptr                           ? limits_.idle
                      : !exchange->isBegun                            ? limits_.head
                      : exchange->state == Exchange::State::Receiving ? limits_.receiving
                                                                      : limits_.sending;
    if (now - connection.since > most) ::shutdown(connection.socket, SHUT_RDWR);
  }
}

}  // namespace lockstep::serve
