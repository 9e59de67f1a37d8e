#include "engine/base/log.h"

#include <unistd.h>

#include <cerrno>

#include "engine/base/shortened_text.h"

namespace lockstep::base {
namespace {

std::string levelPrefix(LogLevel level) {
  return level == LogLevel::Info ? "" : std::string(textOf(level)) + ": ";
}

void writeToStandardError(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // standard error is not writable
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

void logLine(LogLevel level, std::string_view component, std::string_view message) {
  std::string text;
  text.reserve(component.size() + message.size() + 16);
  // Every line of a multi-line message gets the prefix.
  while (true) {
    const std::size_t end = message.find('\n');
    text.append("[").append(component).append("] ").append(levelPrefix(level));
    text.append(message.substr(0, end)).append("\n");
    if (end == std::string_view::npos || end + 1 == message.size()) break;
    message.remove_prefix(end + 1);
  }
  writeToStandardError(escaped(text));
}

}  // namespace lockstep::base
