#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/shortened_text.h"
#include "engine/config/duration.h"
#include "engine/config/level.h"

/// Single values as YAML text. Reading is strict, and written text reads back to the same value.
namespace lockstep::config {

/// A finite decimal number: `0.02`, `1e-5`, `.5`. No leading zeros, underscores, hexadecimal,
/// infinity or NaN.
std::optional<double> readNumber(std::string_view text);
/// A whole decimal number, also with an exponent that leaves it whole (`1e3`). No leading zeros or
/// underscores.
std::optional<std::int64_t> readInteger(std::string_view text);
/// `200`, `200 steps`, `12 epochs`, `20000 images`. Steps and images are whole.
std::optional<Duration> readDuration(std::string_view text);
/// `4 GiB`, `512 MiB`, or a plain count of bytes.
std::optional<std::int64_t> readBytes(std::string_view text);
/// `4095` or `1 %`.
std::optional<Level> readLevel(std::string_view text);

/// Shortest text that reads back to the same double, in YAML 1.1 too (`1.0e-5`, never `1e-05`).
std::string writeNumber(double value);
/// `[8, 16, 32]`
std::string writeNumbers(const std::vector<double>& values);
std::string writeDuration(const Duration& duration);
std::string writeLevel(const Level& level);
/// Uses the largest unit that gives a whole number.
std::string writeBytes(std::int64_t bytes);
/// A string as a YAML scalar, valid in block and in flow context; quoted only if it has to be.
std::string writeText(const std::string& text);

/// The number that `text` probably means (`010`, `90_000`, `1,5`, `0.02 ` in quotes), or "".
std::string probableNumber(std::string_view text);
/// The names of a dotted key, outermost first.
std::vector<std::string> splitKey(std::string_view key);
/// Shortens a key or value for messages.
using base::shortened;
/// Without spaces, tabs and line breaks at both ends.
std::string_view trimmed(std::string_view text);

}  // namespace lockstep::config
