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

/// Writes one line `[component] message` to standard error in a single write(2), with control
/// characters escaped. Warnings and errors have their level before the message. Thread-safe.
void logLine(LogLevel level, std::string_view component, std::string_view message);

inline void logInfo(std::string_view component, std::string_view message) {
  logLine(LogLevel::Info, component, message);
}
inline void logWarning(std::string_view component, std::string_view message) {
  logLine(LogLevel::Warning, component, message);
}

}  // namespace lockstep::base
