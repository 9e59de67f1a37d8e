#include "engine/cli/input_path.h"

#include <system_error>

#include "engine/base/error.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
namespace {

void throwIf(const std::error_code& reason, const fs::path& path) {
  if (reason) throw UserError(path.string() + ": " + reason.message());
}

fs::file_status statusOf(const fs::path& path) {
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (status.type() != fs::file_type::not_found) throwIf(reason, path);
  return status;
}

}  // namespace

bool pathExists(const fs::path& path) { return fs::exists(statusOf(path)); }
bool isFolder(const fs::path& path) { return fs::is_directory(statusOf(path)); }
bool isFile(const fs::path& path) { return fs::is_regular_file(statusOf(path)); }

fs::path realPath(const fs::path& path) {
  std::error_code reason;
  fs::path real = fs::canonical(path, reason);
  throwIf(reason, path);
  return real;
}

}  // namespace lockstep::cli
