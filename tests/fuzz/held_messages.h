#pragma once

#include <string_view>

/// What the readers of messages are held to, for any bytes. Both throw std::logic_error where it
/// does not hold.
namespace lockstep::tests {

/// Every decoder refuses the line with an Error, or takes it; what it takes is written and read
/// back the same. Throws Error when all of them refuse it.
void holdDecoders(std::string_view line);

/// LineBuffer cuts a stream into the lines that a plain search for newlines gives, in whatever
/// pieces it comes. The bytes 0xf8 … 0xff stand for 128 KiB to 1 MiB of them, and their sum chooses
/// the pieces.
void holdLineBuffer(std::string_view bytes);

}  // namespace lockstep::tests
