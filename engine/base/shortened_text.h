#pragma once

#include <string>
#include <string_view>

namespace lockstep::base {

/// A string from a file, shortened for messages: control characters become spaces, and it is
/// truncated with … after 60 bytes. Valid UTF-8 stays valid.
std::string shortened(std::string_view text);

}  // namespace lockstep::base
