#include <unistd.h>

#include <cerrno>

#include "engine/base/clock.h"
#include "engine/base/error.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::run_folder {
namespace {

Error cannotMake(const fs::path& folder, const std::error_code& reason) {
  return base::mendable(folder.string() + ": this folder cannot be made: " + reason.message());
}

/// A file name made of a run's name: no separators, no blanks, nothing that a shell or `ls` treats
/// apart.
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

void makeFolders(const fs::path& folder) {
  std::error_code reason;
  fs::create_directories(folder, reason);
  if (reason) throw cannotMake(folder, reason);
  if (!fs::is_directory(folder)) {
    throw cannotMake(folder, std::make_error_code(std::errc::not_a_directory));
  }
}

/// Makes the folder itself; false when something of that name is there.
bool makeNewFolder(const fs::path& folder) {
  std::error_code reason;
  const bool made = fs::create_directory(folder, reason);
  if (reason && reason != std::errc::file_exists) throw cannotMake(folder, reason);
  return made;
}

Layout withSubFolders(const fs::path& folder) {
  for (const char* name : {"checkpoints", "evaluations", "predictions"}) makeFolders(folder / name);
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
  makeFolders(parent.empty() ? fs::path(".") : parent);
  const std::string base =
      fileNameOf(name) + "-" + base::timestampForNames(base::wallTimeSeconds());
  fs::path folder = parent / base;
  for (int next = 2; !makeNewFolder(folder); ++next)
    folder = parent / (base + "-" + std::to_string(next));
  return withSubFolders(folder);
}

Layout createRunFolderAt(const fs::path& wanted) {
  const fs::path folder = withoutTrailingSlash(wanted);
  makeFolders(parentOf(folder));
  if (!makeNewFolder(folder)) {
    throw base::mendable(folder.string() +
                         ": exists already: name another folder, or resume the run in it");
  }
  return withSubFolders(folder);
}

Layout prepareRunFolder(const fs::path& wanted) {
  const fs::path folder = withoutTrailingSlash(wanted);
  makeFolders(folder);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw base::mendable(folder.string() + ": this run folder cannot be written: " +
                         std::generic_category().message(errno));
  }
  return withSubFolders(folder);
}

}  // namespace lockstep::run_folder
