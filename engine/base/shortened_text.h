#pragma once

#include <string>
#include <string_view>

namespace lockstep::base {

/// A string from a file, as one line of a message: control characters become spaces. Valid UTF-8
/// stays valid.
std::string printable(std::string_view text);

/// The same, truncated with … after 60 bytes.
std::string shortened(std::string_view text);

/// Text for a terminal, which would obey the control characters of a file's name or content: they
/// become `\x1b` and `\u202e`. Line feeds and tabs stay.
std::string escaped(std::string_view text);

}  // namespace lockstep::base
