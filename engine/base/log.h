#pragma once

#include <string>
#include <string_view>

namespace lockstep::base {

enum class LogLevel { Info, Warning, Error };

/// One line `[part] message` on standard error, written by a single write(2). Warnings and errors
/// say so after the part. Any thread.
void logLine(LogLevel level, std::string_view part, std::string_view message);

inline void logInfo(std::string_view part, std::string_view message) {
  logLine(LogLevel::Info, part, message);
}
inline void logWarning(std::string_view part, std::string_view message) {
  logLine(LogLevel::Warning, part, message);
}

}  // namespace lockstep::base
