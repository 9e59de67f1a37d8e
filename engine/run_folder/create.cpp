#include <unistd.h>

#include <cerrno>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {
namespace {

Error creationError(const fs::path& folder, const std::error_code& reason) {
  return UserError(folder.string() + ": cannot be created: " + reason.message());
}

/// A file name for a run's name, without separators, spaces and characters special to a shell.
std::string fileNameOf(const std::string& name) {
  constexpr std::size_t kMaxBytes = 100;
  std::string result;
  for (const char c : name.substr(0, kMaxBytes)) {
    const bool isSafe =
        std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
    result += isSafe ? c : '_';
  }
  if (result.empty()) return "run";
  if (result[0] == '.' || result[0] == '-') result[0] = '_';
  return result;
}

void createFolders(const fs::path& folder) {
  std::error_code reason;
  fs::create_directories(folder, reason);
  if (reason) throw creationError(folder, reason);
  if (!fs::is_directory(folder)) {
    throw creationError(folder, std::make_error_code(std::errc::not_a_directory));
  }
}

/// Creates the folder, not its parents; false when the path already exists.
bool createNewFolder(const fs::path& folder) {
  std::error_code reason;
  const bool isNew = fs::create_directory(folder, reason);
  if (reason && reason != std::errc::file_exists) throw creationError(folder, reason);
  return isNew;
}

Layout withSubFolders(const fs::path& folder) {
  for (const char* name : {"checkpoints", "evaluations", "predictions"})
    createFolders(folder / name);
  return Layout(folder);
}

fs::path withoutTrailingSlash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

fs::path parentOf(const fs::path& folder) {
  return folder.has_parent_path() ? folder.parent_path() : fs::path(".");
}

}  // namespace

Layout createRunFolder(const fs::path& parent, const std::string& name) {
  createFolders(parent.empty() ? fs::path(".") : parent);
  const std::string base =
      fileNameOf(name) + "-" + base::timestampForNames(base::wallTimeSeconds());
  fs::path folder = parent / base;
  for (int next = 2; !createNewFolder(folder); ++next)
    folder = parent / (base + "-" + std::to_string(next));
  return withSubFolders(folder);
}

Layout createRunFolderAt(const fs::path& path) {
  const fs::path folder = withoutTrailingSlash(path);
  createFolders(parentOf(folder));
  if (!createNewFolder(folder)) {
    throw UserError(folder.string() +
                    ": already exists; choose another folder, or resume the run in it");
  }
  return withSubFolders(folder);
}

Layout prepareRunFolder(const fs::path& path) {
  const fs::path folder = withoutTrailingSlash(path);
  createFolders(folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw UserError(folder.string() +
                    ": run folder is not writable: " + std::generic_category().message(errno));
  }
  return withSubFolders(folder);
}

}  // namespace lockstep::run_folder
