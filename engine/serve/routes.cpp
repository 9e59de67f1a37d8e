#include "engine/serve/routes.h"

#include "engine/base/utf8.h"

namespace lockstep::serve {
namespace {

constexpr Route kRoutes[] = {
    {"/", "GET", false, false},
    {"/ping", "GET", false, false},
    {"/classes", "GET", false, false},
    {"/execution-parameters", "GET", false, false},
    {"/metrics", "GET", true, false},
    {"/invocations", "POST", true, true},
    {"/v2", "GET", true, false},
    {"/v2/health/live", "GET", false, false},
    {"/v2/health/ready", "GET", false, false},
    {"/v2/models/{}", "GET", true, false},
    {"/v2/models/{}/ready", "GET", false, false},
    {"/v2/models/{}/infer", "POST", true, true},
    {"/health", "GET", false, false},
    {"/setup", "POST", true, false},
    {"/predict", "POST", true, true},
};

std::string pathOf(const Route& route, const std::string& model) {
  std::string path = route.path;
  if (const std::size_t at = path.find("{}"); at != std::string::npos) path.replace(at, 2, model);
  return path;
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

const Route* routeOf(const std::string& path, const std::string& model) {
  for (const Route& route : kRoutes)
    if (path == pathOf(route, model)) return &route;
  return nullptr;
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
  constexpr std::string_view kScheme = "bearer ";
  return given.size() > kScheme.size() &&
         base::lowerCase(given.substr(0, kScheme.size())) == kScheme &&
         isSame(withoutSpace(given.substr(kScheme.size())), token);
}

}  // namespace lockstep::serve
