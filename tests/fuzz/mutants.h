#pragma once

#include <string>

#include "tests/fuzz/choices.h"

/// Damaged variants of whole files, from a flipped bit to a header that lies.
namespace lockstep::tests {

/// Flipped bits, overwritten and repeated parts, what is missing and what is too much.
std::string damagedBytes(std::string bytes, Choices& choices);

/// JSON with values of other kinds and sizes, numbers that nothing holds, members that are missing,
/// doubled or named otherwise, and nesting without end. Mostly still JSON.
std::string damagedJson(const std::string& text, Choices& choices);

/// A safetensors file whose header or length lies, and metadata that are not what they should be.
std::string damagedSafetensors(const std::string& file, Choices& choices);

/// An event file whose records are missing, doubled or other messages under a right checksum, whose
/// lengths lie, or which is torn.
std::string damagedEventLog(const std::string& file, Choices& choices);

}  // namespace lockstep::tests
