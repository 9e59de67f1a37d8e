#pragma once

#include <string_view>

namespace lockstep::base {

/// Takes the numbers of standard streams that are closed, so that no file gets them and with it
/// what is printed. Writing to them still fails. To be called first of all.
void reserveStandardStreams();

/// Prints text for people on standard output, through stdio, with control characters escaped.
void printText(std::string_view text);
/// A line of it on standard error.
void printMessage(std::string_view line);

/// Prints a result as it is. That nobody reads it (head -1), or that it cannot be written, is a
/// warning: for work whose end does not depend on it, and that ignores SIGPIPE.
void printResult(std::string_view text);

}  // namespace lockstep::base
