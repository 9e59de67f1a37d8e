#include "engine/base/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>

#include "engine/base/error.h"

namespace lockstep::base {
namespace fs = std::filesystem;
namespace {

constexpr const char* kLockName = "in-use.lock";
constexpr std::chrono::minutes kSurelyLocked{1};

/// Removes the folders of killed processes.
void removeLeftFolders(const fs::path& parent, const char* name) {
  std::error_code error;
  for (fs::directory_iterator entry(parent, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& folder = entry->path();
    if (!folder.filename().string().starts_with(name)) continue;
    std::error_code ignored;
    // A new one may not be locked yet.
    const bool isNew =
        fs::file_time_type::clock::now() - fs::last_write_time(folder, ignored) < kSurelyLocked;
    const fs::path lock = folder / kLockName;
    if (!isNew && fs::exists(lock, ignored) && !FileLock::isHeld(lock))
      fs::remove_all(folder, ignored);
  }
}

}  // namespace

TemporaryFolder::TemporaryFolder(const char* name) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    const char* given = std::getenv("TMPDIR");
    throw Error(std::string("TMPDIR=") + (given != nullptr ? given : "") +
                ": is not a folder: set it to one for temporary files");
  }
  std::string path = (parent / (std::string(name) + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr)
    throw Error(path + ": cannot be created: " + std::strerror(errno));
  path_ = path;
  lock_ = FileLock::tryAcquire(path_ / kLockName);
  removeLeftFolders(parent, name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace lockstep::base
