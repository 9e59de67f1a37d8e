#include "engine/base/log.h"

#include <unistd.h>

#include <cerrno>

namespace lockstep::base {
namespace {

std::string levelWord(LogLevel level) {
  return level == LogLevel::Info ? "" : std::string(textOf(level)) + ": ";
}

void writeToStandardError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // nowhere to log to
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void logLine(LogLevel level, std::string_view part, std::string_view message) {
  std::string text;
  text.reserve(part.size() + message.size() + 16);
  // A message of several lines gets the part on each, so that every line of a log says where it is
  // from.
  while (true) {
    const std::size_t end = message.find('\n');
    text.append("[").append(part).append("] ").append(levelWord(level));
    text.append(message.substr(0, end)).append("\n");
    if (end == std::string_view::npos || end + 1 == message.size()) break;
    message.remove_prefix(end + 1);
  }
  writeToStandardError(text);
}

}  // namespace lockstep::base
