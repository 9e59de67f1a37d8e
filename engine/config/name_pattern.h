#pragma once

#include <string>

#include "engine/base/pattern.h"

namespace lockstep::config {

/// A regular expression of monitor.tensor_stats_include, searched in the names of parameters.
/// The default matcher takes exponential time for nested repetitions, in which a rank cannot be
/// stopped. Throws Error, also for a back-reference.
inline base::Pattern namePattern(const std::string& text) {
  return base::Pattern(text, base::Pattern::Matcher::Polynomial);
}

}  // namespace lockstep::config
