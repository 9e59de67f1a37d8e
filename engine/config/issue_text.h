#pragma once

#include <optional>
#include <string>

#include "engine/config/load.h"

namespace lockstep::config {

/// What ConfigIssue::format() wrote; nothing if a line has neither a place nor a known key.
std::optional<ConfigIssue> parseIssue(const std::string& line);

}  // namespace lockstep::config
