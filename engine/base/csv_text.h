#pragma once

#include <string>

namespace lockstep::base {

/// A field of CSV (RFC 4180), in quotes if it needs them. Spreadsheets run text that begins with =,
/// +, - or @ as a formula: an apostrophe before it keeps it text. Numbers stay.
std::string csvText(const std::string& text);

}  // namespace lockstep::base
