#include "engine/serve/routes.h"

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

}  // namespace

const Route* routeOf(const std::string& path, const std::string& model) {
  for (const Route& route : kRoutes)
    if (path == pathOf(route, model)) return &route;
  return nullptr;
}

bool hasToken(const HttpRequest& head, std::string_view token) {
  if (token.empty()) return true;
  const std::string_view given = head.header("authorization");
  constexpr std::string_view kScheme = "bearer ";
  return given.size() > kScheme.size() && lowerCase(given.substr(0, kScheme.size())) == kScheme &&
         isSame(withoutSpace(given.substr(kScheme.size())), token);
}

}  // namespace lockstep::serve
