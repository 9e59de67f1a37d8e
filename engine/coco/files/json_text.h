#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/coco/masks/rle.h"

/// JSON as text, appended piece by piece: results can be hundreds of megabytes. Used by this folder
/// alone.
namespace lockstep::coco {

void appendNumber(std::int64_t value, std::string& json);
/// The shortest text that reads back to the same double; "NaN", "Infinity", "-Infinity" where there
/// is no number.
void appendNumber(double value, std::string& json);
void appendString(std::string_view text, std::string& json);

/// [a,b,…]
template <typename Values>
void appendNumbers(const Values& values, std::string& json) {
  const char* separator = "[";
  for (const auto value : values) {
    json += separator;
    appendNumber(value, json);
    separator = ",";
  }
  json += *separator == '[' ? "[]" : "]";
}

}  // namespace lockstep::coco
