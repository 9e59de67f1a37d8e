#pragma once

#include <string>
#include <string_view>

#include "engine/base/enum_text.h"

namespace lockstep::base {

enum class LogLevel { Info, Warning, Error };
constexpr auto enumTexts(LogLevel) {
  using enum LogLevel;
  return std::to_array<EnumText<LogLevel>>(
      {{Info, "info"}, {Warning, "warning"}, {Error, "error"}});
}

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
