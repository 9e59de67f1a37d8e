#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/error.h"

namespace lockstep::coco {

/// Where a JSON text is invalid; all from 1.
struct JsonError {
  std::size_t line = 0, column = 0, byte = 0;
  std::string reason;  ///< printable ASCII
};

/// Thrown for a JSON text that is invalid at a known place.
class InvalidJson : public Error {
 public:
  InvalidJson(const std::string& message, std::size_t byte) : Error(message), byte_(byte) {}
  std::size_t byte() const { return byte_; }  ///< from 1

 private:
  std::size_t byte_;
};

/// simdjson does not say where: the text is parsed again, without building its values. nullopt: no
/// error is found.
std::optional<JsonError> findJsonError(std::string_view text);

}  // namespace lockstep::coco
