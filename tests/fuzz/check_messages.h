#pragma once

#include <string_view>

/// Properties of the message readers for any bytes. Both throw std::logic_error if one is violated.
namespace lockstep::tests {

/// Every decoder either throws Error or decodes the line, which then round-trips. Throws Error when
/// no decoder accepts it.
void checkDecoders(std::string_view line);

/// LineBuffer splits a stream into the same lines as a plain search for newlines, for any chunking.
/// The bytes 0xf8 … 0xff expand to 128 KiB to 1 MiB of themselves, and their checksum selects the
/// chunks.
void checkLineBuffer(std::string_view bytes);

}  // namespace lockstep::tests
