#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "engine/base/error.h"
#include "engine/run_folder/private_folder.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {
namespace {

constexpr std::size_t kMaxAddressBytes = sizeof(sockaddr_un::sun_path) - 1;
constexpr std::size_t kNameBytes = 1 + 16 + 5;  // "/", the ID, ".sock"

/// 64-bit FNV-1a: the ID must be the same in every program and build.
std::uint64_t hashOf(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

bool isWritableFolder(const fs::path& folder) {
  std::error_code error;
  return fs::is_directory(folder, error) && ::access(folder.c_str(), W_OK | X_OK) == 0;
}

}  // namespace

fs::path socketFolder() {
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR")) {
    const fs::path folder = fs::path(runtime) / "lockstep";
    const bool hasRoom = folder.native().size() + kNameBytes <= kMaxAddressBytes;
    if (hasRoom && folder.is_absolute() && isWritableFolder(runtime)) return folder;
  }
  return userFolder();
}

fs::path ensureSocketFolder() {
  const fs::path folder = socketFolder();
  ensurePrivateFolder(folder, "sockets",
                      "remove it, or set XDG_RUNTIME_DIR to a folder that you own");
  return folder;
}

std::string idOf(const std::string& hashed) {
  char name[32];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hashOf(hashed)));
  return name;
}

fs::path answersFolder(const fs::path& socket) {
  return fs::path(socket).replace_extension(".answers");
}

fs::path socketPath(const std::string& hashed) {
  fs::path path = socketFolder() / (idOf(hashed) + ".sock");
  if (path.native().size() > kMaxAddressBytes) {
    throw UserError(path.string() + ": longer than " + std::to_string(kMaxAddressBytes) +
                    " bytes, the limit of a socket path");
  }
  return path;
}

}  // namespace lockstep::run_folder
