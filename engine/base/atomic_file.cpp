#include "engine/base/atomic_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"
#include "engine/base/file_text.h"
#include "engine/base/input_file.h"

namespace lockstep::base {
namespace {

namespace fs = std::filesystem;

SystemError systemError(const fs::path& path, const char* what, int number) {
  return {path.string() + ": cannot " + what + ": " + std::generic_category().message(number),
          number};
}

/// -1 on failure, with errno set.
int openDescriptor(const fs::path& path, int flags, unsigned mode = 0) {
  int descriptor;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

/// An open file and its name.
class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags, const char* what)
      : OpenFile(path, openDescriptor(path, flags), path) {
    if (!descriptor_.isOpen()) throw systemError(path, what, errno);
  }
  /// `shown`: the name in messages.
  OpenFile(fs::path path, int descriptor, fs::path shown)
      : path_(std::move(path)), shown_(std::move(shown)), descriptor_(descriptor) {}

  const fs::path& path() const { return path_; }
  const fs::path& shown() const { return shown_; }
  int descriptor() const { return descriptor_.get(); }

  void write(std::string_view content) { writeToDescriptor(descriptor(), content, shown_); }

  void sync() {
    while (::fsync(descriptor()) != 0) {
      if (errno == EINTR) continue;
      if (errno == EINVAL || errno == EROFS) return;  // a file system without fsync
      throw systemError(shown_, "write to disk", errno);
    }
  }

  /// Closes now: network file systems report some write errors only here.
  void close() {
    if (::close(descriptor_.release()) != 0 && errno != EINTR)
      throw systemError(shown_, "write", errno);
  }

 private:
  fs::path path_, shown_;
  FileDescriptor descriptor_;
};

constexpr std::string_view kTemporaryStart = ".lockstep-", kTemporaryEnd = ".tmp";

/// Creates a new temporary file beside `target`. In a container, where every start has the same
/// process id, files of a killed process may have the same names: these are skipped.
OpenFile openBeside(const fs::path& target, unsigned mode) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    const std::string name = std::string(kTemporaryStart) + std::to_string(::getpid()) + "-" +
                             std::to_string(counter++) + std::string(kTemporaryEnd);
    const fs::path path = target.parent_path() / name;
    const int descriptor = openDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, mode);
    if (descriptor >= 0) return OpenFile(path, descriptor, target);
    if (errno != EEXIST) throw systemError(target, "write here", errno);
  }
}

/// Process that wrote a temporary file; nullopt for any other file.
std::optional<pid_t> writerOf(const std::string& name) {
  if (!name.starts_with(kTemporaryStart) || !name.ends_with(kTemporaryEnd)) return std::nullopt;
  pid_t process = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kTemporaryStart.size(), end, process);
  return error == std::errc() && *stop == '-' && process > 0 ? std::optional(process)
                                                             : std::nullopt;
}

/// The target of `path` if it is a symlink, so that the link is kept; the target may not exist yet.
fs::path resolveSymlinks(fs::path path) {
  constexpr int kMaxLinks = 40;
  std::error_code failure;
  for (int link = 0; link < kMaxLinks && fs::is_symlink(path, failure); ++link) {
    const fs::path target = fs::read_symlink(path, failure);
    if (failure) break;
    path = path.parent_path() / target;
  }
  return path;
}

/// `path` without symlinks. Throws Error if it exists and is not a regular file: replacing a FIFO
/// would cut off its reader.
fs::path replacedFile(const fs::path& path) {
  std::error_code unknown;
  const fs::file_status there = fs::status(path, unknown);
  if (fs::exists(there) && !fs::is_regular_file(there))
    throw Error(path.string() + ": cannot write here: " + inputFileError(path, "a regular file"));
  return resolveSymlinks(path);
}

/// With the permissions of `target` if that exists.
void writeTemporary(OpenFile& file, const fs::path& target, std::string_view content) {
  struct stat old;
  if (::stat(target.c_str(), &old) == 0 && ::fchmod(file.descriptor(), old.st_mode & 07777) != 0) {
    throw systemError(file.shown(), "set permissions", errno);
  }
  file.write(content);
  file.sync();
  file.close();
}

struct InputFile {
  OpenFile open;
  std::size_t bytes;  ///< 0 also for files of /proc
};

InputFile openInput(const fs::path& path) {
  OpenFile file(path, O_RDONLY | O_NONBLOCK,
                "read");  // opening a pipe would block until it has a writer
  struct stat status;
  if (::fstat(file.descriptor(), &status) != 0) throw systemError(path, "read", errno);
  if (S_ISDIR(status.st_mode)) throw systemError(path, "read", EISDIR);
  if (!S_ISREG(status.st_mode))
    throw Error(path.string() + ": " + inputFileError(path, "a regular file"));
  return {std::move(file), static_cast<std::size_t>(std::max<off_t>(status.st_size, 0))};
}

}  // namespace

std::string readFile(const fs::path& path) { return std::string(FileText::read(path).view()); }

FileText::FileText(std::string_view text)
    : data_(std::make_unique_for_overwrite<char[]>(text.size())), view_(data_.get(), text.size()) {
  std::ranges::copy(text, data_.get());
}

FileText FileText::read(const fs::path& path) {
  InputFile file = openInput(path);
  FileText text;
  std::size_t size = 0, capacity = file.bytes + 1;
  text.data_ = std::make_unique_for_overwrite<char[]>(capacity);
  for (;;) {
    if (size == capacity) {
      capacity = capacity * 2 + 4096;
      auto larger = std::make_unique_for_overwrite<char[]>(capacity);
      std::copy_n(text.data_.get(), size, larger.get());
      text.data_ = std::move(larger);
    }
    const ssize_t got = ::read(file.open.descriptor(), text.data_.get() + size, capacity - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw systemError(path, "read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.view_ = {text.data_.get(), size};
  return text;
}

FileText FileText::map(const fs::path& path) {
  constexpr std::size_t kLeastBytes = 1 << 20;  // below, reading is as fast
  const InputFile file = openInput(path);
  FileText text;
  if (file.bytes >= kLeastBytes) {
    text.mapping_ = MappedFile::map(file.open.descriptor(), file.bytes);
  }
  if (!text.mapping_) return read(path);
  text.view_ = text.mapping_->view();
  return text;
}

void writeToDescriptor(int descriptor, std::string_view content, const fs::path& name) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // the reader is slow
      pollfd waited{descriptor, POLLOUT, 0};
      ::poll(&waited, 1, -1);
      continue;
    }
    if (written < 0) throw systemError(name, "write", errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void removeTemporaryFiles(const fs::path& folder) {
  std::vector<fs::path> left;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto writer = writerOf(entry->path().filename().string());
    const bool isDead =
        writer && (*writer == ::getpid() || (::kill(*writer, 0) != 0 && errno == ESRCH));
    if (isDead) left.push_back(entry->path());
  }
  for (const fs::path& file : left) fs::remove(file, error);
}

void checkWritable(const fs::path& path) {
  const OpenFile file = openBeside(replacedFile(path), 0600);
  std::error_code isGone;
  fs::remove(file.path(), isGone);
}

void writeFileAtomically(const fs::path& path, std::string_view content, unsigned mode) {
  const fs::path target = replacedFile(path);
  OpenFile temporary = openBeside(target, mode);
  try {
    writeTemporary(temporary, target, content);
    if (::rename(temporary.path().c_str(), target.c_str()) != 0) {
      throw systemError(path, "replace the file", errno);
    }
  } catch (...) {
    ::unlink(temporary.path().c_str());
    throw;
  }
  syncToDisk(target.has_parent_path() ? target.parent_path() : fs::path("."));
}

void syncToDisk(const fs::path& path) { OpenFile(path, O_RDONLY, "open").sync(); }

}  // namespace lockstep::base
