#include "engine/coco/files/json_text.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace lockstep::coco {

void appendNumber(std::int64_t value, std::string& json) {
  char text[32];
  json.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

void appendNumber(double value, std::string& json) {
  if (std::isfinite(value)) {
    char text[32];
    json.append(text, std::to_chars(text, text + sizeof text, value).ptr);
  } else {
    json += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  }
}

void appendString(std::string_view text, std::string& json) {
  json += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace lockstep::coco
