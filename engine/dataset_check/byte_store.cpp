#include "engine/dataset_check/byte_store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

#include "engine/base/error.h"

namespace lockstep::dataset_check {
namespace {

[[noreturn]] void fail(const char* what, int number) {
  throw base::SystemError(std::filesystem::temp_directory_path().string() + ": cannot " + what +
                              " a temporary file: " + std::generic_category().message(number),
                          number);
}

}  // namespace

void ByteStore::openFile() {
  std::string name = (std::filesystem::temp_directory_path() / "lockstep-XXXXXX").string();
  file_.reset(::mkostemp(name.data(), O_CLOEXEC));
  if (!file_.isOpen()) fail("make", errno);
  ::unlink(name.c_str());
}

ByteStore::Kept ByteStore::keep(std::span<const std::uint8_t> bytes) {
  if (bytesInMemory_.fetch_add(bytes.size()) + bytes.size() <= mostBytes_)
    return {{bytes.begin(), bytes.end()}};
  bytesInMemory_ -= bytes.size();
  std::call_once(isOpened_, [&] { openFile(); });
  const Kept kept{{}, bytesInFile_.fetch_add(bytes.size()), bytes.size()};
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t written = ::pwrite(file_.get(), bytes.data() + done, bytes.size() - done,
                                     static_cast<off_t>(kept.offset + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", errno);
    done += static_cast<std::size_t>(written);
  }
  return kept;
}

std::span<const std::uint8_t> ByteStore::get(const Kept& kept,
                                             std::vector<std::uint8_t>& buffer) const {
  if (kept.size == 0) return kept.inMemory;
  buffer.resize(kept.size);
  for (std::size_t done = 0; done < kept.size;) {
    const ssize_t got = ::pread(file_.get(), buffer.data() + done, kept.size - done,
                                static_cast<off_t>(kept.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) fail("read", got < 0 ? errno : EIO);
    done += static_cast<std::size_t>(got);
  }
  return buffer;
}

}  // namespace lockstep::dataset_check
