#include "engine/base/clock.h"

#include <array>
#include <chrono>
#include <cmath>
#include <ctime>

#include "engine/base/error.h"

namespace lockstep::base {
namespace {

std::string formatLocal(double wallTime, const char* format) {
  const std::time_t seconds = static_cast<std::time_t>(std::floor(wallTime));
  std::tm local{};
  ::localtime_r(&seconds, &local);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), format, &local)};
}

}  // namespace

double wallTimeSeconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void requireClock(double wallTime) {
  if (wallTime < 0)
    throw Error("this machine's clock is at " + timestampIso8601(wallTime) + ": set it");
}

std::string timestampForNames(double wallTime) { return formatLocal(wallTime, "%Y%m%d-%H%M%S"); }

std::string timestampIso8601(double wallTime) {
  std::string text = formatLocal(wallTime, "%Y-%m-%dT%H:%M:%S%z");
  text.insert(text.end() - 2, ':');  // strftime gives +0100
  return text;
}

}  // namespace lockstep::base
