#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/fuzz/choices.h"

/// Reads many damaged variants of a file and holds each reading to a value, or to an Error in one
/// line that names the file: no other exception, no crash, no huge allocation.
namespace lockstep::tests {

/// Which variants: LOCKSTEP_FUZZ_VARIANTS of them (else `usual`) from LOCKSTEP_FUZZ_FIRST (else 0)
/// on, of LOCKSTEP_FUZZ_SEED (else 1).
struct Variants {
  std::uint64_t seed = 1, first = 0, count = 0;
};
Variants chosenVariants(std::uint64_t usual);

struct HeldReading {
  std::string name;            ///< in messages
  std::filesystem::path file;  ///< is overwritten with each variant
  std::filesystem::path told;  ///< what an Error must name, when it is not the file
  std::function<std::string(Choices&)> damage;
  std::function<void()> read;                     ///< may throw Error
  std::size_t mostBytes = std::size_t{64} << 20;  ///< that reading may allocate
};

/// Runs the variants. Returns what was wrong, empty: nothing; `qInfo` tells how many were refused.
/// A variant that crashes is named on standard error, and its file stays.
std::string faultsOf(const HeldReading& reading, const Variants& variants);

/// Why a text is not one line of plain text in UTF-8; empty: it is.
std::string faultOfLine(const std::string& line, int mostCharacters);
/// Why a refusal is not one clear line that names `file`; empty: it is.
std::string faultOfMessage(const std::string& message, const std::filesystem::path& file);

}  // namespace lockstep::tests
