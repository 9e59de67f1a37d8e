#include "engine/supervisor/run_log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "engine/base/error.h"
#include "engine/base/input_file.h"
#include "engine/base/shortened_text.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::supervisor {
namespace {

/// A reader of standard error may take this long before lines are dropped for it.
constexpr int kReaderPatienceMs = 1000;

void writeAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool takesBytes(int fd, int milliseconds) {
  pollfd waited{fd, POLLOUT, 0};
  return ::poll(&waited, 1, milliseconds) > 0;
}

bool isSameFile(int a, int b) {
  struct stat left {
  }, right{};
  return ::fstat(a, &left) == 0 && ::fstat(b, &right) == 0 && left.st_dev == right.st_dev &&
         left.st_ino == right.st_ino;
}

std::size_t terminalColumns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

RunLog::RunLog(const std::filesystem::path& file) : terminal_(::isatty(STDERR_FILENO) == 1) {
  if (file.empty()) return;
  try {
    file_ = base::openRegularFile(file, O_WRONLY | O_CREAT | O_APPEND);
  } catch (const Error&) {  // lines go to standard error alone
  }
  fileIsStandardError_ = file_.isOpen() && isSameFile(file_.get(), STDERR_FILENO);
}

RunLog::~RunLog() {
  if (!status_.empty()) writeStandardError("\n");
}

void RunLog::writeLine(std::string_view text) {
  const std::string withNewline = base::escaped(text) + "\n";
  writeToFile(text);
  const std::string status = status_;
  eraseStatus();
  writeStandardError(withNewline);
  showStatus(status);
}

void RunLog::write(std::string_view source, std::string_view text) {
  writeLine("[" + std::string(source) + "] " + std::string(text));
}

void RunLog::warn(std::string_view source, std::string_view text) {
  write(source, "warning: " + std::string(text));
}

void RunLog::write(std::string_view source, const protocol::Log& log) {
  write(source, log.level == base::LogLevel::Info ? log.text : log.level.text() + ": " + log.text);
}

void RunLog::forwardWarning(std::string_view workerLine, int rank) {
  if (workerLine.find("] warning: ") == std::string_view::npos) return;
  rank == 0 ? writeLine(workerLine) : write("rank " + std::to_string(rank), workerLine);
}

void RunLog::writeToFile(std::string_view text) {
  if (file_.isOpen() && !fileIsStandardError_) writeAll(file_.get(), base::escaped(text) + "\n");
}

void RunLog::showStatus(std::string_view text) {
  if (!terminal_) return;
  eraseStatus();
  status_ = text.substr(0, terminalColumns() - 1);
  writeStandardError(status_);
}

void RunLog::writeStandardError(std::string_view text) {
  // A pipe that takes bytes takes at least PIPE_BUF of them, more than a line has.
  blocked_ = !takesBytes(STDERR_FILENO, blocked_ ? 0 : kReaderPatienceMs);
  if (!blocked_) writeAll(STDERR_FILENO, text);
}

void RunLog::eraseStatus() {
  if (!status_.empty()) writeStandardError("\r\x1b[K");
  status_.clear();
}

RankLogs::RankLogs(const run_folder::Layout& layout, int ranks) {
  for (int rank = 0; rank < ranks; ++rank) {
    files_.push_back(base::openRegularFile(layout.rankLog(rank), O_WRONLY | O_CREAT | O_APPEND));
  }
}

void RankLogs::writeLine(int rank, const std::string& line) {
  const base::FileDescriptor& file = files_.at(static_cast<std::size_t>(rank));
  const std::string withNewline = line + "\n";
  [[maybe_unused]] const ssize_t written =
      ::write(file.get(), withNewline.data(), withNewline.size());
}

}  // namespace lockstep::supervisor
