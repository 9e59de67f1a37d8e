#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/fuzz/choices.h"

namespace lockstep::tests {

/// A value that is invalid for a member.
nlohmann::ordered_json hostileValue(Choices& choices);
/// Text in place of a JSON value; not always valid JSON.
std::string hostileText(Choices& choices);

}  // namespace lockstep::tests
