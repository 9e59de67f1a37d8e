#include "engine/pack/tar_writer.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "engine/base/atomic_file.h"
#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"

namespace lockstep::pack {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kCopyBytes = 1 << 20;
constexpr off_t kHeaderBytes = 512;

[[noreturn]] void throwOf(const fs::path& file) {
  throw Error(file.string() + ": " + std::strerror(errno));
}

}  // namespace

TarWriter::TarWriter(const fs::path& target)
    : target_(target),
      temporary_(target.parent_path() / (".lockstep-" + std::to_string(::getpid()) + ".partial")),
      archive_(::archive_write_new(), ::archive_write_free) {
  // In which names are bytes; pax's would have to be of the locale, which is C's.
  ::archive_write_set_format_gnutar(archive_.get());
  ::archive_write_add_filter_none(archive_.get());
  ::archive_write_set_bytes_in_last_block(archive_.get(), 1);
  if (::archive_write_open_filename(archive_.get(), temporary_.c_str()) != ARCHIVE_OK) fail();
}

TarWriter::~TarWriter() {
  archive_.reset();
  std::error_code ignored;
  fs::remove(temporary_, ignored);
}

void TarWriter::fail() const {
  const int number = ::archive_errno(archive_.get());
  const char* reason = ::archive_error_string(archive_.get());
  throw Error(target_.string() + ": cannot be written: " +
              (number > 0          ? std::strerror(number)
               : reason != nullptr ? reason
                                   : "unknown reason"));
}

void TarWriter::beginMember(const std::string& member, std::int64_t bytes, double modified) {
  const std::unique_ptr<archive_entry, void (*)(archive_entry*)> entry(::archive_entry_new(),
                                                                       ::archive_entry_free);
  ::archive_entry_set_pathname(entry.get(), member.c_str());
  ::archive_entry_set_size(entry.get(), bytes);
  ::archive_entry_set_filetype(entry.get(), AE_IFREG);
  ::archive_entry_set_perm(entry.get(), 0644);
  ::archive_entry_set_mtime(entry.get(), static_cast<time_t>(modified), 0);
  if (::archive_write_header(archive_.get(), entry.get()) != ARCHIVE_OK) fail();
  checksums_.push_back(0);
}

void TarWriter::write(std::string_view bytes) {
  if (::archive_write_data(archive_.get(), bytes.data(), bytes.size()) !=
      static_cast<la_ssize_t>(bytes.size()))
    fail();
  checksums_.back() = base::crc32c(bytes, checksums_.back());
}

void TarWriter::addText(const std::string& member, std::string_view content, double modified) {
  beginMember(member, static_cast<std::int64_t>(content.size()), modified);
  write(content);
}

void TarWriter::addFile(const std::string& member, const fs::path& file) {
  const base::FileDescriptor source(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat facts {};
  if (!source.isOpen() || ::fstat(source.get(), &facts) != 0) throwOf(file);
  if (!S_ISREG(facts.st_mode)) throw Error(file.string() + ": is not a file");
  beginMember(member, facts.st_size,
              static_cast<double>(facts.st_mtim.tv_sec) +
                  static_cast<double>(facts.st_mtim.tv_nsec) * 1e-9);
  std::string block(kCopyBytes, '\0');
  for (auto left = static_cast<std::size_t>(facts.st_size); left > 0;) {
    const ssize_t count = ::read(source.get(), block.data(), std::min(left, block.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throwOf(file);
    if (count == 0) throw Error(file.string() + ": became shorter while it was packed");
    write(std::string_view(block).substr(0, static_cast<std::size_t>(count)));
    left -= static_cast<std::size_t>(count);
  }
}

void TarWriter::replaceFirst(std::string content) { first_ = std::move(content); }

void TarWriter::writeFirst() const {
  const base::FileDescriptor file(::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC));
  for (std::size_t held = 0; held < first_.size();) {
    const ssize_t count = ::pwrite(file.get(), first_.data() + held, first_.size() - held,
                                   kHeaderBytes + static_cast<off_t>(held));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(target_.string() + ": cannot be written: " + std::strerror(errno));
    held += static_cast<std::size_t>(count);
  }
}

void TarWriter::finish() {
  if (::archive_write_close(archive_.get()) != ARCHIVE_OK) fail();
  writeFirst();
  base::syncToDisk(temporary_);
  // What came there meanwhile is not replaced.
  int result =
      ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_NOREPLACE);
  std::error_code error;
  if (result != 0 && errno == EINVAL && !fs::exists(target_, error))  // not on this file system
    result = ::rename(temporary_.c_str(), target_.c_str());
  if (result != 0) throw Error(target_.string() + ": cannot be written: " + std::strerror(errno));
  base::syncToDisk(target_.parent_path());
}

}  // namespace lockstep::pack
