#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/base/file_descriptor.h"

namespace lockstep::tests {

struct HttpReply {
  int status = 0;
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// A connection to a server on this machine, which sends what it is told to, right or wrong.
/// Reading throws after kPatienceMs without a byte.
class HttpClient {
 public:
  static constexpr int kPatienceMs = 20000;

  explicit HttpClient(int port);

  void send(std::string_view bytes);
  /// The next answer; throws where the connection is closed before its end.
  HttpReply reply();
  /// Whether the server closes the connection, without another byte.
  bool isClosed();
  /// Whether there is something to read within this time: bytes or the end.
  bool isReadable(int milliseconds) const;

  /// One request of a connection that goes on. `headers`: lines that end in CR LF.
  HttpReply get(const std::string& path, const std::string& headers = "");
  HttpReply post(const std::string& path, const std::string& type, std::string_view body,
                 const std::string& headers = "");

 private:
  bool readMore();

  base::FileDescriptor socket_;
  std::string received_;
};

/// The first lines of a POST, without the empty one.
std::string postHead(const std::string& path, const std::string& type, std::size_t bytes);

}  // namespace lockstep::tests
