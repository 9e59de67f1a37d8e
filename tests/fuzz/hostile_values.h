#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/choices.h"

namespace lockstep::tests {

/// A value that a member should not have.
nlohmann::ordered_json hostileValue(Choices& choices);
/// A text where a JSON value should stand. Not all of them are JSON.
std::string hostileText(Choices& choices);

}  // namespace lockstep::tests
