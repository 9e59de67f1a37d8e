#pragma once

#include <string>
#include <string_view>

/// Texts and numbers of a page that is HTML and well-formed XML at once. Used by this folder alone.
namespace lockstep::coco::report {

/// A stranger's text as content or in a quoted attribute. What is no UTF-8 or no character of XML
/// becomes U+FFFD.
std::string escaped(std::string_view text);

/// At most so many characters, the last of them … where some are left out. Of UTF-8.
std::string cutTo(std::string_view text, std::size_t characters);

/// A value of 0 or more with so many decimals, "–" for -1: there is none.
std::string figure(double value, int decimals = 3);
/// The same with its sign.
std::string signedFigure(double value, int decimals = 3);
/// A length or place in a picture, px, as short as it is.
std::string coordinate(double value);
/// 12 345: thousands apart.
std::string grouped(std::uint64_t count);
/// "1 image", "2 images".
std::string counted(std::uint64_t count, const char* noun);

/// A cell of a table; content is HTML already.
std::string textCell(const std::string& content);
std::string numberCell(const std::string& content);

}  // namespace lockstep::coco::report
