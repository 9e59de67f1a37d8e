#pragma once

#include <cstddef>
#include <string_view>

namespace lockstep::base {

/// Bytes of the UTF-8 character at `offset`, or 0 when it is none.
std::size_t utf8CharacterLength(std::string_view text, std::size_t offset);

bool isUtf8(std::string_view text);

}  // namespace lockstep::base
