#pragma once

#include <span>
#include <string_view>

/// NaN, Infinity and -Infinity, which JSON does not have but Python writes.
namespace lockstep::coco {

/// Replaces each with a string of the same length, which keeps positions in the text valid. Returns
/// true if there was one.
bool quoteNan(std::span<char> json);
/// Recognises such a string, given without its quotes.
bool isQuotedNan(std::string_view string);

}  // namespace lockstep::coco
