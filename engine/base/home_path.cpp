#include "engine/base/home_path.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace lockstep::base {
namespace {

/// `user` "": the current user.
std::optional<std::string> homeInDatabase(const std::string& user) {
  std::vector<char> buffer(16384);
  passwd entry{};
  passwd* found = nullptr;
  if (user.empty()) {
    ::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found);
  } else {
    ::getpwnam_r(user.c_str(), &entry, buffer.data(), buffer.size(), &found);
  }
  if (found == nullptr || found->pw_dir == nullptr) return std::nullopt;
  return std::string(found->pw_dir);
}

std::optional<std::string> homeOf(const std::string& user) {
  const char* given = user.empty() ? std::getenv("HOME") : nullptr;
  return given != nullptr && *given != '\0' ? std::string(given) : homeInDatabase(user);
}

}  // namespace

std::optional<std::string> expandHome(const std::string& path) {
  if (!path.starts_with('~')) return path;
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::optional<std::string> home = homeOf(path.substr(1, end - 1));
  if (!home) return std::nullopt;
  return *home + path.substr(end);
}

}  // namespace lockstep::base
