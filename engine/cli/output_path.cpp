#include "engine/cli/output_path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/error.h"
#include "engine/cli/input_path.h"
#include "engine/supervisor/file_descriptor.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

/// Makes a file in the folder and removes it: what permissions, read-only disks and full ones say
/// cannot be asked otherwise.
void checkFolderTakesFiles(const fs::path& folder, const std::string& what) {
  std::string probe = (folder / ".lockstep-XXXXXX").string();
  const supervisor::FileDescriptor file(::mkostemp(probe.data(), O_CLOEXEC));
  if (!file.isOpen())
    throw base::mendable(what + ": " + folder.string() + ": " + std::strerror(errno));
  ::unlink(probe.c_str());
}

}  // namespace

fs::path checkOutputFile(const std::string& path, const std::string& option) {
  const std::string what = option + " " + path + ": cannot be written";
  const fs::path file = fs::absolute(path);
  std::error_code ignored;
  if (fs::is_directory(file, ignored) || !file.has_filename())
    throw base::mendable(what + ": it is a folder");
  checkFolderTakesFiles(file.parent_path(), what);
  return file;
}

fs::path checkNewFolder(const std::string& path, const std::string& option) {
  const std::string what = option + " " + path + ": cannot be made";
  fs::path folder = fs::absolute(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  if (isThere(folder) && !isFolder(folder)) throw base::mendable(what + ": it is a file");
  fs::path parent = folder.parent_path();
  while (!isThere(parent)) parent = parent.parent_path();
  checkFolderTakesFiles(parent, what);
  return folder;
}

fs::path makeOutputFolder(const std::string& path, const std::string& option) {
  const std::string what = option + " " + path + ": cannot be made";
  const fs::path folder = fs::absolute(path);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw base::mendable(what + ": " + error.message());
  checkFolderTakesFiles(folder, what);
  return folder;
}

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "lockstep-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(name + ": cannot be made: " + std::strerror(errno));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace lockstep::cli
