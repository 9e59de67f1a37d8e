#include "engine/serve/http_server.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "engine/base/error.h"
#include "engine/serve/http_reader.h"

namespace lockstep::serve {
namespace {

constexpr int kBacklog = 1024;
constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

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

int portOf(int socket) {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  std::array<char, NI_MAXSERV> text{};
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
  ::getnameinfo(reinterpret_cast<sockaddr*>(&address), length, nullptr, 0, text.data(), text.size(),
                NI_NUMERICSERV);
  return std::atoi(text.data());
}

const char* reasonOf(int status) {
  constexpr std::pair<int, const char*> kReasons[] = {{200, "OK"},
                                                      {400, "Bad Request"},
                                                      {401, "Unauthorized"},
                                                      {403, "Forbidden"},
                                                      {404, "Not Found"},
                                                      {405, "Method Not Allowed"},
                                                      {406, "Not Acceptable"},
                                                      {413, "Content Too Large"},
                                                      {414, "URI Too Long"},
                                                      {415, "Unsupported Media Type"},
                                                      {431, "Request Header Fields Too Large"},
                                                      {500, "Internal Server Error"},
                                                      {503, "Service Unavailable"},
                                                      {504, "Gateway Timeout"},
                                                      {505, "HTTP Version Not Supported"}};
  const auto found = std::ranges::find(kReasons, status, &std::pair<int, const char*>::first);
  return found == std::end(kReasons) ? "" : found->second;
}

std::string dateText() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return text.data();
}

std::string headOf(const HttpResponse& response, bool isLast) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + ' ' +
                     reasonOf(response.status) + "\r\nDate: " + dateText() +
                     "\r\nContent-Type: " + response.type +
                     "\r\nContent-Length: " + std::to_string(response.body.size()) +
                     "\r\nConnection: " + (isLast ? "close" : "keep-alive") + "\r\n";
  for (const auto& [name, value] : response.headers) head += name + ": " + value + "\r\n";
  return head + "\r\n";
}

}  // namespace

struct HttpServer::Connection {
  enum class State {
    Idle,
    Head,  ///< reads the head of a request
    Body,
    Waiting,  ///< until the service answers
    Sending,
    Closing,  ///< the answer is sent: discards what still comes, or the client could miss it
  };

  Connection(base::FileDescriptor client, const HttpLimits& limits)
      : socket(std::move(client)), reader(limits.headerBytes, limits.bodyBytes) {}
  void become(State next) {
    state = next;
    since = active = Clock::now();
  }
  bool isReading() const { return state != State::Waiting && state != State::Sending; }
  short wanted() const { return isReading() ? POLLIN : state == State::Sending ? POLLOUT : 0; }
  std::string& body() { return reader.head().request.body; }

  base::FileDescriptor socket;
  HttpReader reader;
  State state = State::Idle;
  Clock::time_point since = Clock::now();   ///< start of the state; Body: start of the head
  Clock::time_point active = Clock::now();  ///< last byte in either direction, or that start
  bool hasAsked = false;
  bool isLast = false;                  ///< closed after the answer
  std::optional<HttpResponse> refusal;  ///< of the request that is read; its body is dropped
  RequestId id = 0;                     ///< of the request that waits
  std::string head;                     ///< of the response
  HttpResponse response;
  std::size_t sent = 0;  ///< bytes of both
};

HttpServer::HttpServer(supervisor::PollLoop& loop, const std::string& address, int port,
                       const HttpLimits& limits, HttpService& service)
    : loop_(loop), limits_(limits), service_(service) {
  listen(address, port);
  loop_.watch(
      listener_.get(), [this] { return static_cast<short>(canAccept() ? POLLIN : 0); },
      [this](short) { accept(); });
  timer_ = loop_.every(limits_.interval, [this] { closeLate(); });
}

HttpServer::~HttpServer() {
  loop_.cancel(timer_);
  if (listener_.isOpen()) loop_.unwatch(listener_.get());
  for (const Connection& each : connections_) loop_.unwatch(each.socket.get());
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

bool HttpServer::canAccept() {
  return !isOutOfDescriptors_ &&
         (connections_.size() < limits_.connections || closable() != nullptr);
}

void HttpServer::accept() {
  if (!canAccept()) return;  // an earlier callback of this turn needed the room
  base::FileDescriptor socket(
      ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.isOpen()) {
    isOutOfDescriptors_ = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
    return;
  }
  const int on = 1;  // sends the last bytes of an answer at once
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connections_.size() >= limits_.connections) close(*closable());
  Connection& own = connections_.emplace_back(std::move(socket), limits_);
  loop_.watch(
      own.socket.get(), [&own] { return own.wanted(); },
      [this, &own](short events) { handleReady(own, events); });
}

/// Closes the connection on errors, which must not reach the loop.
void HttpServer::handleReady(Connection& connection, short events) {
  try {
    if (connection.isReading()) return read(connection);
    if (connection.state == Connection::State::Sending) return send(connection);
    if ((events & (POLLHUP | POLLERR)) != 0) close(connection);
  } catch (const std::exception&) {
    close(connection);
  }
}

void HttpServer::read(Connection& connection) {
  std::array<char, kReadBytes> bytes;
  const ssize_t count = ::recv(connection.socket.get(), bytes.data(), bytes.size(), 0);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return close(connection);
  connection.active = Clock::now();
  if (connection.state == Connection::State::Closing) return;
  connection.reader.append({bytes.data(), static_cast<std::size_t>(count)});
  handleRequests(connection);
}

/// Handles requests that were received, up to one that waits.
void HttpServer::handleRequests(Connection& connection) {
  try {
    while (connection.isReading()) {
      if (connection.state == Connection::State::Idle && connection.reader.isWithinHead()) {
        connection.become(Connection::State::Head);
        connection.hasAsked = true;
      }
      switch (connection.reader.next()) {
        case HttpReader::Found::Nothing:
          return;
        case HttpReader::Found::Head:
          begin(connection);
          break;
        case HttpReader::Found::Body:
          receive(connection);
          break;
        case HttpReader::Found::End:
          answer(connection);
          break;
      }
    }
  } catch (const HttpError& error) {  // what follows cannot be read
    connection.isLast = true;
    if (!connection.refusal) refuse(connection, errorResponse(error.status, error.message));
    sendRefusal(connection);
  }
}

/// Called after the head of a request. Refuses at once if the client waits for 100 Continue.
/// Otherwise the body is read and dropped first: a client that sends it would miss the refusal.
void HttpServer::begin(Connection& connection) {
  connection.state = Connection::State::Body;  // `since` stays that of the head
  const HttpHead& head = connection.reader.head();
  connection.isLast = !head.isKeptAlive();
  const bool isWaiting = head.hasBody() && head.expectsContinue();
  if (auto why = service_.refusal(head.request)) {
    refuse(connection, *std::move(why));
    if (!isWaiting) return;
    connection.isLast = true;
    sendRefusal(connection);
  } else if (isWaiting) {
    const ssize_t sent =
        ::send(connection.socket.get(), kContinue.data(), kContinue.size(), MSG_NOSIGNAL);
    if (sent != std::ssize(kContinue)) throw Error("the client does not read");
  }
}

void HttpServer::receive(Connection& connection) {
  if (connection.refusal) return;
  const std::string_view piece = connection.reader.piece();
  if (bodiesBytes_ + piece.size() > limits_.bodiesBytes)
    return refuse(connection, busyResponse("too many request bodies are being read"));
  connection.body().append(piece);
  bodiesBytes_ += piece.size();
}

/// Called after the end of a request.
void HttpServer::answer(Connection& connection) {
  HttpRequest request = std::exchange(connection.reader.head().request, {});
  if (connection.refusal) return sendRefusal(connection);
  bodiesBytes_ -= request.body.size();
  connection.become(Connection::State::Waiting);
  connection.id = nextId_++;
  waiting_[connection.id] = &connection;
  service_.handle(connection.id, std::move(request));
}

void HttpServer::refuse(Connection& connection, HttpResponse why) {
  dropBody(connection);
  service_.refused(connection.reader.head().request, why.status);
  connection.refusal = std::move(why);
}

void HttpServer::sendRefusal(Connection& connection) {
  startSending(connection, *std::exchange(connection.refusal, std::nullopt));
}

void HttpServer::dropBody(Connection& connection) {
  bodiesBytes_ -= connection.body().size();
  connection.body() = {};
}

void HttpServer::startSending(Connection& connection, HttpResponse response) {
  connection.isLast = connection.isLast || isDraining_;
  connection.head = headOf(response, connection.isLast);
  connection.response = std::move(response);
  if (!connection.reader.head().wantsBody) connection.response.body = {};
  answersBytes_ += connection.response.body.size();
  connection.sent = 0;
  connection.become(Connection::State::Sending);
}

/// Sends as much as the socket takes.
void HttpServer::send(Connection& connection) {
  const std::string_view parts[] = {connection.head, connection.response.body};
  std::size_t skipped = connection.sent;
  std::array<iovec, 2> rest{};
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const std::size_t before = std::min(skipped, parts[i].size());
    skipped -= before;
    rest[i] = {const_cast<char*>(parts[i].data() + before), parts[i].size() - before};
  }
  msghdr message{};
  message.msg_iov = rest.data();
  message.msg_iovlen = rest.size();
  const ssize_t count = ::sendmsg(connection.socket.get(), &message, MSG_NOSIGNAL);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count < 0) return close(connection);
  connection.active = Clock::now();
  connection.sent += static_cast<std::size_t>(count);
  if (connection.sent < parts[0].size() + parts[1].size()) return;
  becomeIdle(connection);
}

/// Called once the answer is sent.
void HttpServer::becomeIdle(Connection& connection) {
  answersBytes_ -= connection.response.body.size();
  connection.response = {};
  if (connection.isLast) {
    ::shutdown(connection.socket.get(), SHUT_WR);
    return connection.become(Connection::State::Closing);
  }
  connection.become(Connection::State::Idle);
  handleRequests(connection);
}

int HttpServer::respond(RequestId id, HttpResponse response) {
  const auto found = waiting_.find(id);
  if (found == waiting_.end()) return response.status;
  Connection& connection = *found->second;
  waiting_.erase(found);
  if (answersBytes_ + response.body.size() > limits_.answersBytes)
    response = busyResponse("too many responses are being sent");
  const int status = response.status;
  startSending(connection, std::move(response));
  return status;
}

void HttpServer::close(Connection& connection) {
  loop_.unwatch(connection.socket.get());
  dropBody(connection);
  answersBytes_ -= connection.response.body.size();
  if (connection.state == Connection::State::Waiting) waiting_.erase(connection.id);
  connections_.remove_if([&](const Connection& each) { return &each == &connection; });
  isOutOfDescriptors_ = false;
}

void HttpServer::stopListening() {
  isDraining_ = true;
  loop_.unwatch(listener_.get());
  listener_.reset();
}

bool HttpServer::isIdle() const {
  return std::ranges::all_of(connections_, [](const Connection& each) {
    return each.state == Connection::State::Idle || each.state == Connection::State::Closing;
  });
}

/// Connection to close when another needs its room; null: none. Closing ones come first, then idle
/// ones, slow requests and slowly read answers; of these the one that has been so for longest.
/// Spares a new connection, whose request is about to come.
HttpServer::Connection* HttpServer::closable() {
  using State = Connection::State;
  const auto rankOf = [this, now = Clock::now()](const Connection& each) {
    if (each.state == State::Closing) return 4;
    if (each.state == State::Idle) return each.hasAsked || &each != &connections_.back() ? 3 : 0;
    if (each.state == State::Head || each.state == State::Body) return 2;
    return each.state == State::Sending && now - each.since > limits_.reading ? 1 : 0;
  };
  Connection* chosen = nullptr;
  int chosenRank = 0;
  for (Connection& each : connections_) {
    const int rank = rankOf(each);
    if (rank < chosenRank || rank == 0) continue;
    if (rank > chosenRank || each.since < chosen->since) chosen = &each;
    chosenRank = rank;
  }
  return chosen;
}

void HttpServer::closeLate() {
  isOutOfDescriptors_ = false;
  const auto now = Clock::now();
  const auto isLate = [&](const Connection& each) {
    using State = Connection::State;
    if (each.state == State::Waiting) return false;
    const auto limit = each.state == State::Idle
                           ? each.hasAsked ? limits_.idle : limits_.beforeAsking
                       : each.state == State::Head    ? limits_.head
                       : each.state == State::Sending ? limits_.sending
                                                      : limits_.receiving;
    return now - each.since > limit || now - each.active > limits_.idle;
  };
  for (auto each = connections_.begin(); each != connections_.end();) {
    Connection& connection = *each++;
    if (isLate(connection)) close(connection);
  }
}

}  // namespace lockstep::serve
