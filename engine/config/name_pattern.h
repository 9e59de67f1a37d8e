#pragma once

#include <regex>
#include <string>

namespace lockstep::config {

/// A regular expression of monitor.tensor_stats_include, searched in the names of parameters.
/// libstdc++'s polynomial matcher: the default one takes exponential time for nested repetitions,
/// in which a rank cannot be stopped. Throws std::regex_error, also for a back-reference.
inline std::regex namePattern(const std::string& text) {
  return std::regex(text, std::regex::ECMAScript | std::regex_constants::__polynomial);
}

}  // namespace lockstep::config
