#include "engine/serve/image_files.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/error.h"
#include "engine/base/shortened_text.h"
#include "engine/serve/http_message.h"

namespace lockstep::serve {
namespace {

constexpr int kMostTries = 10;

/// What is wrong is not the name.
bool isOfTheMachine(int error) {
  for (const int one : {EAGAIN, EMFILE, ENFILE, ENOMEM, EIO})
    if (error == one) return true;
  return false;
}

}  // namespace

ImageFiles::ImageFiles(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_.isOpen())
    throw UserError("--files " + folder.string() + ": " + std::strerror(errno));
}

std::string ImageFiles::read(const std::string& name, std::size_t mostBytes) const {
  const std::string shown = "'" + base::shortened(name) + "'";
  if (name.find('\0') != std::string::npos)
    throw HttpError{404, "the file " + shown + ": the name contains a NUL byte"};
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  const auto open = [&] {
    return static_cast<int>(::syscall(SYS_openat2, folder_.get(), name.c_str(), &how, sizeof how));
  };
  base::FileDescriptor file(open());
  // The kernel says so of a name with `..` while something is renamed.
  for (int i = 0; i < kMostTries && !file.isOpen() && errno == EAGAIN; ++i) file.reset(open());
  if (!file.isOpen()) {
    if (errno == EXDEV || errno == ELOOP)
      throw HttpError{403, "the file " + shown + " is not in the folder of --files"};
    throw HttpError{isOfTheMachine(errno) ? 503 : 404,
                    "the file " + shown + ": " + std::strerror(errno)};
  }
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    throw HttpError{404, "the file " + shown + ": is not a regular file"};
  if (static_cast<std::size_t>(facts.st_size) > mostBytes)
    throw HttpError{
        413, "the file " + shown + " is larger than " + std::to_string(mostBytes) + " bytes"};
  std::string content(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t filled = 0;
  while (filled < content.size()) {
    const ssize_t count = ::read(file.get(), content.data() + filled, content.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0)
      throw HttpError{count < 0 && isOfTheMachine(errno) ? 503 : 404,
                      "the file " + shown + ": cannot be read"};
    filled += static_cast<std::size_t>(count);
  }
  return content;
}

}  // namespace lockstep::serve
