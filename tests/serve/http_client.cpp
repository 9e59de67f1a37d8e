#include "tests/serve/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cctype>

#include "engine/base/error.h"

namespace lockstep::tests {
HttpClient::HttpClient(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    throw Error("the server does not listen");
}

void HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0) return;  // closed: reply() says so
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

bool HttpClient::readMore() {
  pollfd waited{socket_.get(), POLLIN, 0};
  if (::poll(&waited, 1, kPatienceMs) <= 0) throw Error("the server is silent");
  std::array<char, 65536> bytes;
  const ssize_t count = ::read(socket_.get(), bytes.data(), bytes.size());
  if (count <= 0) return false;
  received_.append(bytes.data(), static_cast<std::size_t>(count));
  return true;
}

bool HttpClient::isReadable(int milliseconds) const {
  pollfd waited{socket_.get(), POLLIN, 0};
  return ::poll(&waited, 1, milliseconds) > 0;
}

bool HttpClient::isClosed() { return received_.empty() && !readMore(); }

HttpReply HttpClient::reply() {
  std::size_t end;
  while ((end = received_.find("\r\n\r\n")) == std::string::npos)
    if (!readMore()) throw Error("the server closed the connection");
  HttpReply reply;
  reply.status = std::stoi(received_.substr(received_.find(' ') + 1));
  for (std::size_t at = received_.find("\r\n") + 2; at < end + 2;) {
    const std::size_t lineEnd = received_.find("\r\n", at), colon = received_.find(": ", at);
    std::string name = received_.substr(at, colon - at);
    for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
    reply.headers[name] = received_.substr(colon + 2, lineEnd - colon - 2);
    at = lineEnd + 2;
  }
  if (reply.status == 100) {  // the one that comes before another
    received_.erase(0, end + 4);
    return this->reply();
  }
  const std::size_t length = std::stoul(reply.headers.at("content-length"));
  while (received_.size() < end + 4 + length)
    if (!readMore()) throw Error("the server closed the connection within an answer");
  reply.body = received_.substr(end + 4, length);
  received_.erase(0, end + 4 + length);
  return reply;
}

std::string postHead(const std::string& path, const std::string& type, std::size_t bytes) {
  return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(bytes) + "\r\n";
}

HttpReply HttpClient::get(const std::string& path, const std::string& headers) {
  send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  return reply();
}

HttpReply HttpClient::post(const std::string& path, const std::string& type, std::string_view body,
                           const std::string& headers) {
  send(postHead(path, type, body.size()) + headers + "\r\n");
  send(body);
  return reply();
}

}  // namespace lockstep::tests
