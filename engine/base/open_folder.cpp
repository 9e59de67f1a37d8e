#include "engine/base/open_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "engine/base/file_identity.h"

namespace lockstep::base {

OpenFolder::OpenFolder(std::filesystem::path path)
    : path_(std::move(path)), folder_(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

bool OpenFolder::isInPlace() const {
  struct stat held {};
  return ::fstat(folder_.get(), &held) == 0 &&
         FileIdentity::of(path_) == FileIdentity{held.st_dev, held.st_ino};
}

}  // namespace lockstep::base
