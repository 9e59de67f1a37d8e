#pragma once

#include <string>

namespace lockstep::base {

/// A field of CSV (RFC 4180), in quotes where that is needed. A spreadsheet takes text that begins
/// with =, +, - or @ for a formula and runs it: an apostrophe before it keeps it text. Numbers
/// stay.
std::string csvText(const std::string& text);

}  // namespace lockstep::base
