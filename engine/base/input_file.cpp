#include "engine/base/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "engine/base/error.h"

namespace lockstep::base {
namespace {

namespace fs = std::filesystem;

const char* kindOf(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "a folder";
    case fs::file_type::block:
    case fs::file_type::character:
      return "a device";
    case fs::file_type::fifo:
      return "a pipe";
    case fs::file_type::socket:
      return "a socket";
    default:
      return "not a regular file";
  }
}

}  // namespace

std::string inputFileError(const fs::path& file, const std::string& expected) {
  std::error_code failure;
  const fs::file_status status = fs::status(file, failure);
  if (status.type() == fs::file_type::regular) {
    if (::access(file.c_str(), R_OK) == 0 || errno != EACCES) return {};
    return "cannot be read: permission denied; make it readable";
  }
  if (status.type() == fs::file_type::not_found) return "no such file";
  if (failure) return failure.message();
  return std::string("is ") + kindOf(status.type()) + "; expected " + expected;
}

FileDescriptor openRegularFile(const fs::path& file, int flags, unsigned mode) {
  FileDescriptor descriptor(::open(file.c_str(), flags | O_CLOEXEC | O_NONBLOCK, mode));
  const int reason = errno;
  struct stat facts {};
  const bool isOpen = descriptor.isOpen() && ::fstat(descriptor.get(), &facts) == 0;
  if (isOpen && S_ISREG(facts.st_mode)) return descriptor;
  // A pipe without a reader does not open for writing.
  const std::string kind = inputFileError(file, "a regular file");
  if (isOpen || kind.starts_with("is ")) throw Error(file.string() + ": " + kind);
  throw SystemError(
      file.string() + ": cannot be opened: " + std::generic_category().message(reason), reason);
}

bool pathExists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::vector<fs::path> entriesOf(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code reason;
  for (fs::directory_iterator entry(folder, reason), end; !reason && entry != end;
       entry.increment(reason)) {
    paths.push_back(entry->path());
  }
  if (reason) throw UserError(folder.string() + ": " + reason.message());
  return paths;
}

}  // namespace lockstep::base
