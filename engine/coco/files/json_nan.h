#pragma once

#include <span>
#include <string_view>

/// NaN, Infinity and -Infinity, which JSON does not have but Python writes.
namespace lockstep::coco {

/// Makes each a string of the same length, which isQuotedNan() knows, so that positions in the text
/// remain. Returns whether there was one.
bool quoteNan(std::span<char> json);
/// `string`: without its quotes.
bool isQuotedNan(std::string_view string);

}  // namespace lockstep::coco
