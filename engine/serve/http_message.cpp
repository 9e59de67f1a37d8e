#include "engine/serve/http_message.h"

#include <algorithm>
#include <charconv>

#include "engine/base/json_writer.h"
#include "engine/base/utf8.h"

namespace lockstep::serve {
namespace {

/// The quoted text or token at `at`, which is then behind it.
std::string parameterValue(std::string_view text, std::size_t& at) {
  std::string value;
  if (at >= text.size() || text[at] != '"') {
    const std::size_t end = std::min(text.find(';', at), text.size());
    value = withoutSpace(text.substr(at, end - at));
    at = end;
    return value;
  }
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  at = std::min(text.find(';', at), text.size());
  return value;
}

}  // namespace

std::string_view withoutSpace(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string unescaped(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned char code = 0;
    const char* const digits = text.data() + at + 1;
    const bool isCode = text[at] == '%' && text.size() - at > 2 &&
                        std::from_chars(digits, digits + 2, code, 16).ptr == digits + 2;
    plain += isCode ? static_cast<char>(code) : text[at];
    if (isCode) at += 2;
  }
  return plain;
}

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &std::pair<std::string, std::string>::first);
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<std::string_view> HttpRequest::parameter(std::string_view name) const {
  std::optional<std::string_view> last;
  for (const auto& [key, value] : query)
    if (key == name) last = value;
  return last;
}

std::string HttpRequest::mediaType() const {
  const std::string_view type = header("content-type");
  return base::lowerCase(withoutSpace(type.substr(0, type.find(';'))));
}

HttpResponse errorResponse(int status, std::string_view message) {
  HttpResponse response{.status = status};
  base::JsonWriter json(response.body);
  json.beginObject();
  json.member("error", message);
  json.endObject();
  response.body += '\n';
  return response;
}

HttpResponse busyResponse(std::string_view why) {
  HttpResponse response = errorResponse(503, why);
  response.headers.emplace_back("Retry-After", "1");
  return response;
}

std::optional<std::string> headerParameter(std::string_view header, std::string_view name) {
  std::size_t at = header.find(';');
  while (at < header.size()) {
    const std::size_t begin = at + 1;
    at = std::min(header.find_first_of(";=", begin), header.size());
    if (at == header.size() || header[at] == ';') continue;  // a word that is no parameter
    const std::string key = base::lowerCase(withoutSpace(header.substr(begin, at - begin)));
    const std::string value = parameterValue(header, ++at);
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace lockstep::serve
