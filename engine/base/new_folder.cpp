#include "engine/base/new_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"

namespace lockstep::base {
namespace fs = std::filesystem;

NewFolder::NewFolder(const fs::path& target) : target_(fs::absolute(target).lexically_normal()) {
  if (!target_.has_filename()) target_ = target_.parent_path();
  std::error_code error;
  if (fs::exists(target_, error) &&
      (!fs::is_directory(target_, error) || !fs::is_empty(target_, error))) {
    throw UserError(target.string() + ": already exists; choose a new or empty folder");
  }
  temporary_ = target_.parent_path() /
               ("." + target_.filename().string() + ".partial-" + std::to_string(::getpid()));
  fs::remove_all(temporary_, error);
  fs::create_directories(temporary_, error);
  if (error) throw UserError(target.string() + ": cannot be created: " + error.message());
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  fs::remove_all(temporary_, ignored);
}

void NewFolder::finish() const {
  const FileDescriptor folder(::open(temporary_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.isOpen()) ::syncfs(folder.get());  // before the name: what it holds
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (error) throw Error(target_.string() + ": cannot be created: " + error.message());
  syncToDisk(target_.parent_path());
}

}  // namespace lockstep::base
