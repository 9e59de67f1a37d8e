#include "engine/supervisor/move_into_place.h"

#include <fcntl.h>
#include <stdio.h>

#include <cerrno>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"

namespace lockstep::supervisor {
namespace fs = std::filesystem;
namespace {

/// Swaps two folders, where rename(2) refuses to replace one with content: both names have a whole
/// folder at every moment.
void exchange(const fs::path& partial, const fs::path& target) {
  if (::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0)
    return;
  const std::error_code reason(errno, std::generic_category());
  const bool isUnknownHere = reason == std::errc::invalid_argument ||
                             reason == std::errc::function_not_supported ||
                             reason == std::errc::operation_not_supported;
  if (!isUnknownHere) throw fs::filesystem_error("exchange", partial, target, reason);
  // A file system that has no exchange (NFS): `target` is missing for a moment.
  const fs::path aside = partial.string() + ".old";
  fs::rename(target, aside);
  std::error_code failure;
  fs::rename(partial, target, failure);
  fs::rename(aside, failure ? target : partial);
  if (failure) throw fs::filesystem_error("rename", partial, target, failure);
}

/// Undoes it, so that it can be tried again.
void putBack(const fs::path& partial, const fs::path& target, bool replacesFolder) {
  try {
    replacesFolder ? exchange(partial, target) : fs::rename(target, partial);
  } catch (const fs::filesystem_error&) {  // the caller reports the first error
  }
}

}  // namespace

void moveIntoPlace(const fs::path& partial, const fs::path& target) {
  bool replacesFolder = false;
  try {
    replacesFolder = fs::is_directory(target);
    replacesFolder ? exchange(partial, target) : fs::rename(partial, target);
  } catch (const fs::filesystem_error& error) {
    throw Error(target.string() + ": cannot be moved into place: " + error.code().message());
  }
  try {
    base::syncToDisk(target.parent_path());
  } catch (const Error&) {
    putBack(partial, target, replacesFolder);
    throw;
  }
  // The old one, which is no longer needed. If it cannot be removed, the next start does.
  std::error_code ignored;
  if (replacesFolder) fs::remove_all(partial, ignored);
}

}  // namespace lockstep::supervisor
