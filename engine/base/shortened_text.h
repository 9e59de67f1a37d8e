#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::base {

/// Length of the control character or line break at the start of a text that is not empty: 0 (none)
/// to 3 bytes. Includes characters that change the text direction.
std::size_t controlBytes(std::string_view text);

/// A string from a file, as one line of a message: control characters become spaces. Valid UTF-8
/// stays valid.
std::string printable(std::string_view text);

/// The same, truncated with … after some bytes.
std::string shortened(std::string_view text, std::size_t maxBytes = 60);
/// A path for messages: as long as paths usually are.
inline std::string shortenedPath(std::string_view path) { return shortened(path, 500); }

/// Text for a terminal, which would obey the control characters of a file's name or content: they
/// become `\x1b` and `\u202e`. Line feeds and tabs stay.
std::string escaped(std::string_view text);

/// A name without blanks and line breaks at its ends, and with one blank for several in it.
std::string simplified(std::string_view text);

}  // namespace lockstep::base
