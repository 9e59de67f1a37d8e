#pragma once

#include <string>
#include <string_view>

namespace lockstep::base {

/// A text from a file as messages show it: one line without control characters, cut with … when it
/// is longer than 60 bytes. Stays UTF-8 when it is.
std::string shortened(std::string_view text);

}  // namespace lockstep::base
