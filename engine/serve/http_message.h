#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lockstep::serve {

struct HttpRequest {
  std::string method;  ///< as sent: `POST`
  std::string path;    ///< decoded, without the query: `/invocations`
  std::vector<std::pair<std::string, std::string>> query;    ///< decoded, in order
  std::vector<std::pair<std::string, std::string>> headers;  ///< names in lower case, in order
  std::string body{};

  /// Of the first header of this name, in lower case; empty: there is none.
  std::string_view header(std::string_view name) const;
  /// Of the last parameter of this name.
  std::optional<std::string_view> parameter(std::string_view name) const;
  /// `content-type` in lower case without its parameters.
  std::string mediaType() const;
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
};

/// {"error": "…"}, one line.
HttpResponse errorResponse(int status, std::string_view message);

/// 503, to be tried again in a second.
HttpResponse busyResponse(std::string_view why);

/// Thrown where a request is at fault; the answer has its status and its message.
struct HttpError : std::exception {
  HttpError(int httpStatus, std::string why) : status(httpStatus), message(std::move(why)) {}
  const char* what() const noexcept override { return message.c_str(); }
  int status;
  std::string message;
};

/// `value; name="text"; other=text`: the value of a parameter, without quotes and escapes;
/// nullopt: there is none.
std::optional<std::string> headerParameter(std::string_view header, std::string_view name);

std::string_view withoutSpace(std::string_view text);

/// Replaces codes such as `%41` by their bytes; anything else stays.
std::string unescaped(std::string_view text);

}  // namespace lockstep::serve
