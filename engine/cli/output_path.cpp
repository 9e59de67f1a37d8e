#include "engine/cli/output_path.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "engine/base/atomic_file.h"
#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/base/image_files.h"
#include "engine/base/input_file.h"
#include "engine/base/utf8.h"
#include "engine/cli/input_path.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::cli {
namespace fs = std::filesystem;
using base::FileIdentity;
namespace {

/// Creates a file in the folder and removes it: the only reliable test for permissions, read-only
/// and full disks.
void checkFolderIsWritable(const fs::path& folder, const std::string& what) {
  std::string probe = (folder / ".lockstep-XXXXXX").string();
  const base::FileDescriptor file(::mkostemp(probe.data(), O_CLOEXEC));
  if (!file.isOpen()) throw UserError(what + ": " + folder.string() + ": " + std::strerror(errno));
  ::unlink(probe.c_str());
}

/// The path with symlinks resolved, as far as it exists.
fs::path resolvedPath(const fs::path& path) {
  std::error_code unknown;
  const fs::path absolute = fs::absolute(path).lexically_normal();
  fs::path real = fs::weakly_canonical(absolute, unknown);
  if (unknown) return absolute;
  return real.has_filename() ? real : real.parent_path();
}

/// The file descriptor of this process that a path denotes: 1 for `-`, /dev/stdout and the file
/// that standard output is redirected to, N for /dev/fd/N.
std::optional<int> descriptorOf(const std::string& path) {
  if (path == "-" || path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && stop == end && number >= 0) return number;
  }
  const auto there = FileIdentity::of(path);
  if (there && there == FileIdentity::of("/dev/stdout")) return STDOUT_FILENO;
  return std::nullopt;
}

void checkDescriptor(int descriptor, const std::string& what) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
    throw UserError(what + ": it is not open for writing");
}

bool isExperimentName(const fs::path& file) {
  const std::string ending = base::lowerCase(file.extension().native());
  return ending == ".yaml" || ending == ".yml";
}

}  // namespace

void Inputs::add(const fs::path& file, const std::string& name) {
  if (!file.empty()) files_.push_back({file, name});
}

void Inputs::addImages(const fs::path& folder, const std::string& name) {
  if (!folder.empty()) imageFolders_.push_back({folder, name});
}

std::optional<std::string> Inputs::nameOf(const fs::path& file) const {
  const auto identity = FileIdentity::of(file);
  if (!identity) return std::nullopt;  // it does not exist: nothing to replace
  const auto isIt = [&](const fs::path& path) { return FileIdentity::of(path) == identity; };
  for (const Input& input : files_) {
    if (isIt(input.path)) return input.name;
  }
  for (const Input& folder : imageFolders_) {
    if (std::ranges::any_of(base::imagesBelow(folder.path).files, isIt))
      return "an image of " + folder.name;
  }
  return std::nullopt;
}

std::optional<std::string> Inputs::nameOfImagesIn(const fs::path& folder) const {
  const auto identity = FileIdentity::of(folder);
  const auto found = std::ranges::find_if(imageFolders_, [&](const Input& images) {
    return identity && FileIdentity::of(images.path) == identity;
  });
  return found == imageFolders_.end() ? std::nullopt : std::optional(found->name);
}

OutputFile::OutputFile(const std::string& path, const std::string& option, const Inputs& inputs)
    : given_(path), target_(resolvedPath(path)), descriptor_(descriptorOf(path)) {
  const std::string what = option + " " + path + ": cannot be written";
  std::error_code unknown;
  const fs::file_status there = fs::status(path, unknown);
  isReplaced_ = !descriptor_ && (fs::is_regular_file(there) || !fs::exists(there));
  if (descriptor_) {
    checkDescriptor(*descriptor_, what);
  } else if (fs::is_directory(there) || (isReplaced_ && !fs::path(path).has_filename())) {
    throw UserError(what + ": it is a folder");
  } else if (fs::is_block_file(there)) {
    throw UserError(what + ": it is a block device");
  } else if (isReplaced_) {
    checkFolderIsWritable(target_.parent_path(), what);
    refuseToReplace(what, inputs);
  } else if (::access(path.c_str(), W_OK) != 0) {
    throw UserError(what + ": " + std::strerror(errno));
  }
}

void OutputFile::refuseToReplace(const std::string& what, const Inputs& inputs) const {
  if (const auto input = inputs.nameOf(target_))
    throw UserError(what + ": it is " + *input + ", which is read here; choose another file");
  refuseNamesOfRuns(target_, what);
  std::error_code unknown;
  if (isExperimentName(target_) && fs::exists(target_, unknown)) {
    throw UserError(what +
                    ": it is an experiment file, which is never replaced; choose another file");
  }
}

const fs::path& OutputFile::workerFile() {
  if (isReplaced_) return target_;
  if (!folder_) {
    folder_.emplace();
    workerFile_ = folder_->path() / "result";
  }
  return workerFile_;
}

void OutputFile::writeWorkerResult() const {
  if (folder_) write(base::readFile(workerFile_));
}

void OutputFile::write(std::string_view content) const {
  if (isReplaced_) return base::writeFileAtomically(target_, content);
  std::fflush(stdout);
  if (descriptor_) return base::writeToDescriptor(*descriptor_, content, name());
  const base::FileDescriptor file(::open(given_.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.isOpen()) throw Error(given_ + ": cannot be written: " + std::strerror(errno));
  base::writeToDescriptor(file.get(), content, name());
}

bool OutputFile::isStandardOutput() const { return descriptor_ == STDOUT_FILENO; }

std::string OutputFile::name() const {
  if (isStandardOutput()) return "standard output";
  return isReplaced_ ? target_.string() : given_;
}

bool OutputFile::isSameAs(const OutputFile& other) const {
  if (descriptor_ || other.descriptor_) return descriptor_ == other.descriptor_;
  const auto there = FileIdentity::of(target_);
  return target_ == other.target_ || (there && there == FileIdentity::of(other.target_));
}

bool OutputFile::isAt(const fs::path& path) const {
  std::error_code ignored;
  return !descriptor_ && target_ == fs::weakly_canonical(fs::absolute(path), ignored);
}

void refuseNamesOfRuns(const fs::path& path, const std::string& what) {
  const auto place = run_folder::pathInRun(resolvedPath(path));
  if (!place || !run_folder::belongsToRun(place->relative)) return;
  throw UserError(what + ": " + place->relative.string() + " belongs to the run " +
                  place->folder.string() + "; choose another name");
}

fs::path checkNewFolder(const std::string& path) {
  const std::string what = path + ": cannot be created";
  fs::path folder = fs::absolute(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  if (pathExists(folder) && !isFolder(folder)) throw UserError(what + ": it is a file");
  if (pathExists(folder) && !base::entriesOf(folder).empty()) {
    throw UserError(path + ": already exists; choose a new or empty folder");
  }
  refuseNamesOfRuns(folder, what);
  fs::path parent = folder.parent_path();
  while (!pathExists(parent)) parent = parent.parent_path();
  checkFolderIsWritable(parent, what);
  return folder;
}

fs::path makeOutputFolder(const std::string& path, const std::string& option,
                          const Inputs& inputs) {
  const std::string what = option + " " + path + ": cannot be created";
  const fs::path folder = fs::absolute(path);
  refuseNamesOfRuns(folder, what);
  if (const auto images = inputs.nameOfImagesIn(folder)) {
    throw UserError(option + " " + path + ": is the folder of " + *images +
                    ", which are read here; choose another folder");
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw UserError(what + ": " + error.message());
  checkFolderIsWritable(folder, what);
  return folder;
}

}  // namespace lockstep::cli
