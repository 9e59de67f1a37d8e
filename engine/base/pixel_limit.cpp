#include "engine/base/pixel_limit.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>

#include "engine/base/utf8.h"

namespace lockstep::base {
namespace {

constexpr const char* kVariable = "OPENCV_IO_MAX_IMAGE_PIXELS";
constexpr std::int64_t kUsual = 100'000'000, kMost = std::int64_t{1} << 40;

/// OpenCV's units, in any case; 0: another word.
std::int64_t unitOf(std::string_view suffix) {
  const std::string lower = lowerCase(suffix);
  return lower.empty() ? 1 : lower == "kb" ? 1 << 10 : lower == "mb" ? 1 << 20 : 0;
}

}  // namespace

void limitPixels() { ::setenv(kVariable, std::to_string(kUsual).c_str(), /*overwrite=*/0); }

std::int64_t pixelLimit() {
  const char* given = std::getenv(kVariable);
  const std::string_view text = given == nullptr ? "" : given;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number <= 0) return kUsual;
  const std::int64_t unit = unitOf(text.substr(static_cast<std::size_t>(end - text.data())));
  return unit == 0 ? kUsual : std::min(number, kMost) * unit;
}

}  // namespace lockstep::base
