#pragma once

#include <string>
#include <string_view>

namespace lockstep::base {

/// RFC 4648, with padding.
std::string encodeBase64(std::string_view bytes);
/// Whitespace, missing padding and the URL-safe alphabet are accepted. Throws Error for other
/// characters.
std::string decodeBase64(std::string_view text);

}  // namespace lockstep::base
