#pragma once

#include <string>
#include <string_view>

/// Texts and numbers for a page that is both HTML and well-formed XML. Used only in this folder.
namespace lockstep::coco::report {

/// Escapes untrusted text for use as content or in a quoted attribute. Invalid UTF-8 and characters
/// that XML does not allow become U+FFFD.
std::string escaped(std::string_view text);

/// Truncates UTF-8 text to a number of characters; a truncated text ends in "…".
std::string cutTo(std::string_view text, std::size_t characters);

/// A value >= 0 with this many decimals; "–" for -1, which means undefined.
std::string figure(double value, int decimals = 3);
/// A length or coordinate in px, in the shortest form.
std::string coordinate(double value);
/// "12 345": with thousands separators.
std::string grouped(std::uint64_t count);
/// "1 image", "2 images".
std::string groupedCount(std::uint64_t count, const char* noun);

/// A cell of a table; content is HTML already.
std::string textCell(const std::string& content);
std::string numberCell(const std::string& content);

}  // namespace lockstep::coco::report
