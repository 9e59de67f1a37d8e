#pragma once

#include <string_view>

namespace lockstep::base {

/// Opens standard streams that are closed, so that no other file gets their numbers and what is
/// printed. Writing to them still fails. Call it before anything else.
void reserveStandardStreams();

/// Prints text for people on standard output, through stdio, with control characters escaped.
void printText(std::string_view text);
/// A line of it on standard error.
void printMessage(std::string_view line);

/// Prints a result as it is. A write error, such as a closed pipe (head -1), is only a warning: for
/// work that goes on without it and ignores SIGPIPE.
void printResult(std::string_view text);

}  // namespace lockstep::base
