#include "engine/base/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "engine/base/error.h"

namespace lockstep::base {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const char* name) {
  std::string path = (fs::temp_directory_path() / (std::string(name) + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr)
    throw Error(path + ": cannot be created: " + std::strerror(errno));
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace lockstep::base
