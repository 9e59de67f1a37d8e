#include "engine/serve/http_reader.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "engine/base/shortened_text.h"
#include "engine/base/utf8.h"

namespace lockstep::serve {
namespace {

// Each takes more memory than its bytes.
constexpr std::size_t kMaxHeaders = 200, kMaxParameters = 1000;

bool isDigit(char character) { return character >= '0' && character <= '9'; }

/// Character of a header name or a method (RFC 9110, 5.6.2).
bool isTokenCharacter(char character) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return isDigit(character) || (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z') || kMarks.find(character) != std::string_view::npos;
}

bool isToken(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, isTokenCharacter);
}

bool isControl(char character) {
  const auto code = static_cast<unsigned char>(character);
  return (code < 0x20 && character != '\t') || code == 0x7f;
}

/// Parses digits alone; the largest number if theirs is larger; nullopt: no number.
std::optional<std::uint64_t> numberIn(std::string_view text, int base) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  return error == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

/// True if a comma-separated header has this member.
bool hasMember(const HttpRequest& request, std::string_view header, std::string_view member) {
  for (const auto& [name, value] : request.headers) {
    if (name != header) continue;
    for (std::size_t begin = 0; begin <= value.size();) {
      const std::size_t end = std::min(value.find(',', begin), value.size());
      const std::string_view each = std::string_view(value).substr(begin, end - begin);
      if (base::lowerCase(withoutSpace(each)) == member) return true;
      begin = end + 1;
    }
  }
  return false;
}

/// Name and value of `NAME: VALUE`.
std::pair<std::string_view, std::string_view> fieldOf(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos || !isToken(line.substr(0, colon)))
    throw HttpError{400, "the header '" + base::shortened(line) + "' is not NAME: VALUE"};
  return {line.substr(0, colon), withoutSpace(line.substr(colon + 1))};
}

std::string withSpaces(std::string text) {
  std::ranges::replace(text, '+', ' ');
  return text;
}

bool hasNul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

}  // namespace

bool HttpHead::expectsContinue() const {
  return minorVersion > 0 && hasMember(request, "expect", "100-continue");
}

bool HttpHead::isKeptAlive() const {
  if (hasMember(request, "connection", "close")) return false;
  return minorVersion > 0 || hasMember(request, "connection", "keep-alive");
}

void HttpReader::append(std::string_view bytes) {
  buffer_.erase(0, at_);
  at_ = 0;
  buffer_ += bytes;
}

HttpReader::Found HttpReader::next() {
  if (state_ == State::FirstLine) head_ = {};
  while (true) {
    if (state_ == State::Body && (left_ > 0 || !head_.isChunked)) return readBody();
    if (state_ == State::Body) state_ = State::ChunkEnd;
    const auto line = nextLine();
    if (!line) return Found::Nothing;
    if (const auto found = parseLine(*line)) return *found;
  }
}

/// Line without its CR LF; nullopt: its end is still to come.
std::optional<std::string_view> HttpReader::nextLine() {
  const std::string_view rest = std::string_view(buffer_).substr(at_);
  // Bytes of another protocol, such as TLS, may have no line at all.
  if (state_ == State::FirstLine && !rest.empty() && rest[0] != '\r' && !isTokenCharacter(rest[0]))
    throw HttpError{400, "this is not an HTTP request"};
  const std::size_t end = rest.find('\n');
  const bool isWhole = end != std::string_view::npos;
  const std::size_t bytes = isWhole ? end + 1 : rest.size();
  if (lineBytes_ + bytes > maxHeadBytes_) refuseLongLine();
  if (!isWhole) return std::nullopt;
  at_ += bytes;
  lineBytes_ += bytes;
  const std::string_view line = rest.substr(0, end > 0 ? end - 1 : 0);
  if (end == 0 || rest[end - 1] != '\r')
    throw HttpError{400, "a line of the request does not end in CR LF"};
  if (std::ranges::any_of(line, isControl))
    throw HttpError{400, "a line of the request has a control character in it"};
  return line;
}

void HttpReader::refuseLongLine() const {
  const std::string limit = std::to_string(maxHeadBytes_) + " bytes";
  if (state_ == State::FirstLine) throw HttpError{414, "the URL is longer than " + limit};
  if (state_ == State::Headers) throw HttpError{431, "the headers are longer than " + limit};
  throw HttpError{400, "a line of the chunked body is longer than " + limit};
}

/// Returns what the line completes; nullopt: nothing yet.
std::optional<HttpReader::Found> HttpReader::parseLine(std::string_view line) {
  switch (state_) {
    case State::FirstLine:
      if (!line.empty()) parseFirstLine(line);
      return std::nullopt;
    case State::Headers:
      if (line.empty()) {
        checkHead();
        return Found::Head;
      }
      parseHeader(line);
      return std::nullopt;
    case State::ChunkSize:
      left_ = chunkSize(line);
      lineBytes_ = 0;
      state_ = left_ > 0 ? State::Body : State::Trailers;
      return std::nullopt;
    case State::ChunkEnd:
      if (!line.empty()) throw HttpError{400, "a chunk of the body is longer than its size"};
      lineBytes_ = 0;
      state_ = State::ChunkSize;
      return std::nullopt;
    case State::Trailers:
      if (line.empty()) return end();
      (void)fieldOf(line);
      return std::nullopt;
    case State::Body:
      break;
  }
  return std::nullopt;
}

/// `POST /invocations?score=0.5 HTTP/1.1`
void HttpReader::parseFirstLine(std::string_view line) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  const std::string_view version = last < line.size() ? line.substr(last + 1) : std::string_view();
  const bool isHttp = version.size() == 8 && version.starts_with("HTTP/") && isDigit(version[5]) &&
                      version[6] == '.' && isDigit(version[7]);
  if (!isHttp || first == last || !isToken(line.substr(0, first)))
    throw HttpError{400, "the first line is not METHOD URL HTTP/1.1"};
  if (version[5] != '1')
    throw HttpError{505, std::string(version) + " is not supported; use HTTP/1.1"};
  head_.minorVersion = version[7] - '0';
  head_.request.method = line.substr(0, first);
  head_.wantsBody = head_.request.method != "HEAD";
  parseTarget(line.substr(first + 1, last - first - 1));
  state_ = State::Headers;
}

void HttpReader::parseTarget(std::string_view target) {
  if (!target.starts_with('/') || target.find(' ') != std::string_view::npos)
    throw HttpError{400, "the URL must be a path, without spaces"};
  HttpRequest& request = head_.request;
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = unescaped(target.substr(0, mark));
  bool isBad = hasNul(request.path);
  for (std::size_t begin = mark + 1; begin < target.size();) {
    const std::size_t end = std::min(target.find('&', begin), target.size());
    const std::string each = withSpaces(std::string(target.substr(begin, end - begin)));
    begin = end + 1;
    if (each.empty()) continue;
    if (request.query.size() == kMaxParameters)
      throw HttpError{414,
                      "the URL has more than " + std::to_string(kMaxParameters) + " parameters"};
    const std::size_t equals = std::min(each.find('='), each.size());
    const auto& [name, value] =
        request.query.emplace_back(unescaped(each.substr(0, equals)),
                                   equals < each.size() ? unescaped(each.substr(equals + 1)) : "");
    isBad = isBad || hasNul(name) || hasNul(value);
  }
  if (isBad) throw HttpError{400, "the URL contains a NUL byte"};
}

void HttpReader::parseHeader(std::string_view line) {
  const auto [name, value] = fieldOf(line);
  if (head_.request.headers.size() == kMaxHeaders)
    throw HttpError{431, "there are more than " + std::to_string(kMaxHeaders) + " headers"};
  head_.request.headers.emplace_back(base::lowerCase(name), value);
}

/// Called after the last header.
void HttpReader::checkHead() {
  const auto& headers = head_.request.headers;
  const auto hosts =
      std::ranges::count(headers, "host", &std::pair<std::string, std::string>::first);
  if (hosts > 1 || (hosts == 0 && head_.minorVersion > 0))
    throw HttpError{400, "a request must have one Host header"};
  if (head_.request.header("host").find_first_of(" \t,/\\?#@") != std::string_view::npos)
    throw HttpError{400, "Host: is not a host name"};
  checkLength();
  bodyBytes_ = 0;
  left_ = head_.isChunked ? 0 : head_.length;
  lineBytes_ = 0;
  state_ = head_.isChunked ? State::ChunkSize : State::Body;
}

/// Request-smuggling checks: lengths that a proxy might read differently.
void HttpReader::checkLength() {
  std::size_t ways = 0;
  for (const auto& [name, value] : head_.request.headers) {
    if (name == "transfer-encoding") {
      ++ways;
      head_.isChunked = true;
      if (base::lowerCase(value) != "chunked" || head_.minorVersion == 0) ++ways;
    } else if (name == "content-length") {
      ++ways;
      const auto length = numberIn(value, 10);
      if (!length)
        throw HttpError{
            400, "Content-Length: '" + base::shortened(value) + "' is not a number of bytes"};
      head_.length = *length;
    }
  }
  if (ways > 1) throw HttpError{400, "give one Content-Length, or Transfer-Encoding: chunked"};
  if (head_.length > maxBodyBytes_) refuseLargeBody();
}

/// `1f40;name=value`
std::uint64_t HttpReader::chunkSize(std::string_view line) const {
  const auto size = numberIn(line.substr(0, line.find(';')), 16);
  if (!size) throw HttpError{400, "the size of a chunk of the body is not hexadecimal"};
  if (*size > maxBodyBytes_ - bodyBytes_) refuseLargeBody();
  return *size;
}

void HttpReader::refuseLargeBody() const {
  throw HttpError{413, "the body is larger than " + std::to_string(maxBodyBytes_) + " bytes"};
}

HttpReader::Found HttpReader::readBody() {
  if (left_ == 0) return end();
  piece_ = std::string_view(buffer_).substr(at_);
  if (piece_.empty()) return Found::Nothing;
  piece_ = piece_.substr(0, left_);
  at_ += piece_.size();
  left_ -= piece_.size();
  bodyBytes_ += piece_.size();
  return Found::Body;
}

/// Called after the last byte of a request.
HttpReader::Found HttpReader::end() {
  state_ = State::FirstLine;
  lineBytes_ = 0;
  if (at_ == buffer_.size()) {
    buffer_ = {};  // a connection that waits needs no memory
    at_ = 0;
  }
  return Found::End;
}

}  // namespace lockstep::serve
