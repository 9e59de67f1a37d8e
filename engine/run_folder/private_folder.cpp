#include "engine/run_folder/private_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/base/error.h"

namespace lockstep::run_folder {

void ensurePrivateFolder(const std::filesystem::path& folder, const std::string& what,
                         const std::string& remedy) {
  const auto refuse = [&](const std::string& why) -> Error {
    return Error(folder.string() + ": folder for " + what + " " + why + "; " + remedy);
  };
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw refuse("cannot be created (" + std::generic_category().message(errno) + ")");
  }
  struct stat status {};
  // lstat: in /tmp, another user may have put a symlink there.
  if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    throw refuse("is not a folder");
  }
  if (status.st_uid != ::geteuid()) throw refuse("belongs to another user");
  if ((status.st_mode & 0077) != 0 && ::chmod(folder.c_str(), 0700) != 0) {
    throw refuse("is accessible to other users");
  }
}

std::filesystem::path userFolder(const std::filesystem::path& parent) {
  return parent / ("lockstep-" + std::to_string(::geteuid()));
}

bool isOwnFolder(const std::filesystem::path& folder) {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
         status.st_uid == ::geteuid();
}

}  // namespace lockstep::run_folder
