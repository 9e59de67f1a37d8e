#include "engine/foreign_runs/appended_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file_descriptor.h"

namespace lockstep::foreign_runs {
namespace {

constexpr std::size_t kChunkBytes = 1 << 20;
constexpr std::size_t kRememberedBytes = 64;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

[[noreturn]] void failToRead(const fs::path& file) {
  throw Error(file.string() + ": cannot be read: " + std::generic_category().message(errno) +
              "; check that it exists and that you may read it");
}

std::size_t readAt(int descriptor, char* to, std::size_t bytes, std::int64_t offset,
                   const fs::path& file) {
  ssize_t got = 0;
  do {
    got = ::pread(descriptor, to, bytes, offset);
  } while (got < 0 && errno == EINTR);
  if (got < 0) failToRead(file);
  return static_cast<std::size_t>(got);
}

bool isSame(const struct stat& a, const struct stat& b) {
  return a.st_ino == b.st_ino && a.st_dev == b.st_dev && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

}  // namespace

/// Whether there may be more to read than at the last call.
bool AppendedLines::hasChanged() {
  struct stat now {};
  if (::stat(file_.c_str(), &now) != 0) failToRead(file_);
  if (!S_ISREG(now.st_mode)) throw Error(file_.string() + ": is not a file; expected a log");
  const bool isUnchanged = isSame(now, seen_);
  seen_ = now;
  return !isUnchanged;
}

bool AppendedLines::isContinuedBy(int descriptor) const {
  std::string now(before_.size(), '\0');
  const std::size_t got = readAt(descriptor, now.data(), now.size(),
                                 offset_ - static_cast<std::int64_t>(now.size()), file_);
  return got == now.size() && now == before_;
}

void AppendedLines::remember(int descriptor) {
  before_.resize(std::min<std::size_t>(kRememberedBytes, static_cast<std::size_t>(offset_)));
  before_.resize(readAt(descriptor, before_.data(), before_.size(),
                        offset_ - static_cast<std::int64_t>(before_.size()), file_));
}

bool AppendedLines::visit(const std::function<void(const Line&)>& visitor, Faults& faults) {
  if (!hasChanged()) return true;
  const base::FileDescriptor file(::open(file_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.isOpen()) failToRead(file_);
  if (seen_.st_size < offset_ || !isContinuedBy(file.get())) return false;
  const auto unread = static_cast<std::size_t>(seen_.st_size - offset_);
  if (unread == 0) return true;
  std::vector<char> buffer(std::min(unread, kChunkBytes) + kPaddingBytes);
  std::size_t held = 0;  // bytes at the start of the buffer, of a line without its end
  for (std::size_t left = unread; left > 0;) {
    if (buffer.size() < held + std::min(left, kChunkBytes) + kPaddingBytes)
      buffer.resize(held + kChunkBytes + kPaddingBytes);
    const std::size_t got = readAt(file.get(), buffer.data() + held, std::min(left, kChunkBytes),
                                   offset_ + static_cast<std::int64_t>(held), file_);
    if (got == 0) break;
    left -= got;
    held += got;
    const std::size_t used = visitWhole({buffer.data(), held}, visitor, faults);
    held -= used;
    std::memmove(buffer.data(), buffer.data() + used, held);
  }
  remember(file.get());
  return true;
}

/// Returns the bytes up to the end of the last whole line, or of what is skipped of a long one.
std::size_t AppendedLines::visitWhole(std::string_view bytes,
                                      const std::function<void(const Line&)>& visitor,
                                      Faults& faults) {
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = bytes.find('\n', begin)) != std::string_view::npos;
       begin = end + 1) {
    ++lines_;
    if (!std::exchange(isInLongLine_, false))
      visitLine(bytes.substr(begin, end - begin), visitor, faults);
    offset_ += static_cast<std::int64_t>(end + 1 - begin);
  }
  if (const std::size_t rest = bytes.size() - begin; isInLongLine_ || rest > kMaxLineBytes) {
    if (!std::exchange(isInLongLine_, true)) refuseLong(faults);
    offset_ += static_cast<std::int64_t>(rest);
    begin = bytes.size();
  }
  return begin;
}

void AppendedLines::visitLine(std::string_view text,
                              const std::function<void(const Line&)>& visitor, Faults& faults) {
  if (text.size() > kMaxLineBytes) {
    --lines_;
    refuseLong(faults);
    ++lines_;
    return;
  }
  if (lines_ == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  while (text.ends_with('\r') || text.ends_with(' ')) text.remove_suffix(1);
  if (!text.empty()) visitor({text, lines_});
}

void AppendedLines::refuseLong(Faults& faults) const {
  faults.add(file_.string() + ":" + std::to_string(lines_ + 1) + ": longer than 1 MiB; left out");
}

}  // namespace lockstep::foreign_runs
