#pragma once

#include <filesystem>
#include <string>
#include <string_view>

/// Texts in other encodings than UTF-8.
namespace lockstep::base {

/// `UTF-16LE`, `UTF-32BE`, … of a text with a byte order mark, or whose first character is ASCII;
/// empty: it is in an encoding of single bytes or in UTF-8.
std::string wideEncodingOf(std::string_view text);

/// A text as UTF-8, without a byte order mark. Throws Error for an encoding that the C library does
/// not know, and for bytes that the encoding does not have.
std::string toUtf8(std::string_view text, const std::string& encoding);

/// `line 3: byte 17 is not UTF-8`; empty: all is.
std::string utf8Problem(std::string_view text);

/// The text of a file without a byte order mark: UTF-16 and UTF-32 become UTF-8, other bytes stay.
std::string readUnicode(const std::filesystem::path& file);
/// The same, checked to be UTF-8. Throws Error: `FILE: line 3: byte 17 is not UTF-8; …`.
std::string readUtf8(const std::filesystem::path& file);

}  // namespace lockstep::base
