#include "engine/base/number_text.h"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace lockstep::base {
namespace {

template <typename Real>
std::string shortest(Real value) {
  if (const char* text = nonFiniteText(value)) return text;
  char digits[32];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

}  // namespace

const char* nonFiniteText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  return nullptr;
}

std::string shortestNumber(double value) { return shortest(value); }
std::string shortestNumber(float value) { return shortest(value); }

std::string shortNumber(double value, int digits) {
  if (const char* text = nonFiniteText(value)) return text;
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string signedNumber(double value, int decimals) {
  if (const char* text = nonFiniteText(value)) return text;
  char text[400];  // enough for the longest double
  std::snprintf(text, sizeof text, "%+.*f", decimals, value);
  if (std::string_view(text).find_first_of("123456789") == std::string_view::npos) text[0] = '+';
  return text;
}

std::string percent(double fraction) {
  const double value = 100 * fraction;
  char text[32];
  std::snprintf(text, sizeof text, value < 9.95 ? "%.2g" : "%.0f", value);
  return std::string(text) + " %";
}

std::string gibibytes(double bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / 0x1p30);
  return text;
}

std::string plural(std::uint64_t count, std::string_view noun) {
  if (count == 1) return std::string(noun);
  if (noun.ends_with("ry")) return std::string(noun.substr(0, noun.size() - 1)) + "ies";
  const bool takesEs = noun.ends_with('s') || noun.ends_with('x') || noun.ends_with("tch");
  return std::string(noun) + (takesEs ? "es" : "s");
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + plural(count, noun);
}

}  // namespace lockstep::base
