#include "engine/base/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "engine/base/error.h"

namespace lockstep::base {
namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder(const char* name) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    const char* given = std::getenv("TMPDIR");
    throw Error(std::string("TMPDIR=") + (given != nullptr ? given : "") +
                ": is no folder: set it to one for temporary files");
  }
  std::string path = (parent / (std::string(name) + "XXXXXX")).string();
  if (::mkdtemp(path.data()) == nullptr)
    throw Error(path + ": cannot be created: " + std::strerror(errno));
  path_ = path;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace lockstep::base
