#include "engine/base/number_text.h"

#include <cmath>
#include <cstdio>

namespace lockstep::base {

std::string shortNumber(double value, int digits) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string gibibytes(double bytes) {
  char text[40];
  std::snprintf(text, sizeof text, "%.1f GiB", bytes / 0x1p30);
  return text;
}

}  // namespace lockstep::base
