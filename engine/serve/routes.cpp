#include "engine/serve/routes.h"

#include <optional>

#include "engine/base/base64.h"
#include "engine/base/error.h"
#include "engine/base/utf8.h"

namespace lockstep::serve {
namespace {

constexpr auto kGet = Route::Method::Get, kPost = Route::Method::Post;

constexpr Route kRoutes[] = {
    {Endpoint::Page, "/", kGet, false, false},
    {Endpoint::Ping, "/ping", kGet, false, false},
    {Endpoint::Classes, "/classes", kGet, false, false},
    {Endpoint::ExecutionParameters, "/execution-parameters", kGet, false, false},
    {Endpoint::Metrics, "/metrics", kGet, true, false},
    {Endpoint::Invocations, "/invocations", kPost, true, true},
    {Endpoint::ServerMetadata, "/v2", kGet, true, false},
    {Endpoint::ServerLive, "/v2/health/live", kGet, false, false},
    {Endpoint::ServerReady, "/v2/health/ready", kGet, false, false},
    {Endpoint::ModelMetadata, "/v2/models/{name}", kGet, true, false},
    {Endpoint::ModelMetadata, "/v2/models/{name}/versions/{version}", kGet, true, false},
    {Endpoint::ModelReady, "/v2/models/{name}/ready", kGet, false, false},
    {Endpoint::ModelReady, "/v2/models/{name}/versions/{version}/ready", kGet, false, false},
    {Endpoint::ModelInfer, "/v2/models/{name}/infer", kPost, true, true},
    {Endpoint::ModelInfer, "/v2/models/{name}/versions/{version}/infer", kPost, true, true},
    {Endpoint::Health, "/health", kGet, false, false},
    {Endpoint::Setup, "/setup", kPost, true, false},
    {Endpoint::Predict, "/predict", kPost, true, true},
};

/// The version in a path that has the form of a route's, empty if that has none; nullopt: the path
/// has another form.
std::optional<std::string> versionIn(std::string_view path, std::string_view form,
                                     const std::string& model) {
  constexpr std::string_view kName = "{name}", kVersion = "{version}";
  const std::size_t place = form.find(kVersion);
  std::string before(form.substr(0, place));
  if (const auto at = before.find(kName); at != std::string::npos)
    before.replace(at, kName.size(), model);
  if (place == std::string_view::npos)
    return path == before ? std::optional<std::string>("") : std::nullopt;
  const std::string_view behind = form.substr(place + kVersion.size());
  if (path.size() <= before.size() + behind.size() || !path.starts_with(before) ||
      !path.ends_with(behind))
    return std::nullopt;
  const auto version = path.substr(before.size(), path.size() - before.size() - behind.size());
  if (version.find('/') != std::string_view::npos) return std::nullopt;
  return std::string(version);
}

bool isSame(std::string_view given, std::string_view expected) {
  unsigned difference = given.size() == expected.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i)
    difference |= static_cast<unsigned char>(given[i]) ^
                  static_cast<unsigned char>(expected[i % expected.size()]);
  return difference == 0;
}

/// Without the port.
std::string hostOf(std::string_view authority) {
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  return base::lowerCase(authority.substr(0, colon));
}

}  // namespace

MatchedRoute routeOf(const std::string& path, const std::string& model) {
  for (const Route& route : kRoutes)
    if (auto version = versionIn(path, route.path, model)) return {&route, *std::move(version)};
  return {};
}

bool isForThisMachine(const HttpRequest& head) {
  const std::string host = hostOf(head.header("host"));
  const bool isIpv4 = host.find_first_not_of("0123456789.") == std::string::npos;
  return host.empty() || host == "localhost" || host == "[::1]" ||
         (isIpv4 && host.starts_with("127."));
}

bool isFromAnotherSite(const HttpRequest& head) {
  if (head.header("sec-fetch-site") == "cross-site") return true;
  const std::string_view origin = head.header("origin");
  if (origin.empty()) return false;
  const std::size_t scheme = origin.find("://");
  return scheme == std::string_view::npos ||
         base::lowerCase(origin.substr(scheme + 3)) != base::lowerCase(head.header("host"));
}

bool hasToken(const HttpRequest& head, std::string_view token) {
  if (token.empty()) return true;
  const std::string_view given = head.header("authorization");
  const auto behind = [&](std::string_view scheme) {
    const bool isIt =
        given.size() > scheme.size() && base::lowerCase(given.substr(0, scheme.size())) == scheme;
    return isIt ? withoutSpace(given.substr(scheme.size())) : std::string_view();
  };
  if (const std::string_view bearer = behind("bearer "); !bearer.empty())
    return isSame(bearer, token);
  try {
    const std::string user = base::decodeBase64(behind("basic "));
    const std::size_t colon = user.find(':');
    return colon != std::string::npos && isSame(std::string_view(user).substr(colon + 1), token);
  } catch (const Error&) {
    return false;
  }
}

}  // namespace lockstep::serve
