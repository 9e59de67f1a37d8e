#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/serve/http_message.h"

namespace lockstep::serve {

/// Parsed first line and headers of a request.
struct HttpHead {
  HttpRequest request{};
  int minorVersion = 1;   ///< of HTTP/1
  bool wantsBody = true;  ///< in the answer; false: HEAD
  bool isChunked = false;
  std::uint64_t length = 0;  ///< bytes of the body, unless it is chunked
  bool hasBody() const { return isChunked || length > 0; }
  bool expectsContinue() const;
  /// True if the connection stays open after the answer.
  bool isKeptAlive() const;
};

/// Reads the requests of one connection from its bytes (RFC 9112). Strict: refuses what a proxy
/// might parse differently, so that no request hides in another (request smuggling).
/// No library of Debian 12 is as strict. libmicrohttpd 0.9.75 accepts bare line feeds and two
/// Hosts, and answers an invalid length twice. Boost.Beast 1.74 (164 MB, to save some 80 lines)
/// unfolds headers, takes trailers for headers and accepts chunks of HTTP/1.0. llhttp 8.1 has
/// CVE-2023-30589 and CVE-2024-27982; http-parser is unmaintained.
class HttpReader {
 public:
  enum class Found { Nothing, Head, Body, End };

  HttpReader(std::size_t maxHeadBytes, std::size_t maxBodyBytes)
      : maxHeadBytes_(maxHeadBytes), maxBodyBytes_(maxBodyBytes) {}

  void append(std::string_view bytes);
  /// The next part of a request; Nothing: more bytes are needed. Throws HttpError for a request
  /// that cannot be read: 400, 413, 414, 431 or 505. Nothing can be read after it.
  Found next();
  /// Head of the request that is being read, as far as it was read.
  HttpHead& head() { return head_; }
  /// The piece of the body that next() found, until the next call.
  std::string_view piece() const { return piece_; }
  /// True while a head is partly there.
  bool isWithinHead() const { return state_ == State::Headers || at_ < buffer_.size(); }

 private:
  enum class State { FirstLine, Headers, Body, ChunkSize, ChunkEnd, Trailers };

  std::optional<std::string_view> nextLine();
  std::optional<Found> parseLine(std::string_view line);
  void parseFirstLine(std::string_view line);
  void parseTarget(std::string_view target);
  void parseHeader(std::string_view line);
  void checkHead();
  void checkLength();
  std::uint64_t chunkSize(std::string_view line) const;
  Found readBody();
  Found end();
  [[noreturn]] void refuseLongLine() const;
  [[noreturn]] void refuseLargeBody() const;

  std::size_t maxHeadBytes_, maxBodyBytes_;
  State state_ = State::FirstLine;
  std::string buffer_;
  std::size_t at_ = 0;         ///< in the buffer: what comes before was read
  std::size_t lineBytes_ = 0;  ///< of the head, of the line of a chunk or of the trailers
  std::uint64_t left_ = 0;     ///< bytes of the body or chunk that are still to come
  std::uint64_t bodyBytes_ = 0;
  std::string_view piece_;
  HttpHead head_;
};

}  // namespace lockstep::serve
