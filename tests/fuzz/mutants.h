#pragma once

#include <string>

#include "tests/fuzz/choices.h"

/// Damaged variants of files, from a flipped bit to an inconsistent header.
namespace lockstep::tests {

/// Flipped bits, and overwritten, repeated, missing and inserted bytes.
std::string damagedBytes(std::string bytes, Choices& choices);

/// JSON with values of other types and sizes, numbers out of range, missing, duplicate and renamed
/// members, and deep nesting. Mostly still valid JSON.
std::string damagedJson(const std::string& text, Choices& choices);

/// A safetensors file with an inconsistent header or length, or invalid metadata.
std::string damagedSafetensors(const std::string& file, Choices& choices);

/// An event file with missing, duplicate or other records under valid checksums, with wrong
/// lengths, or truncated.
std::string damagedEventLog(const std::string& file, Choices& choices);

}  // namespace lockstep::tests
