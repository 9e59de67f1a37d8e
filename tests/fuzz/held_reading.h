#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "tests/fuzz/choices.h"

/// Reads many damaged variants of a file and holds each reading to a value, or to an Error in one
/// line that names the file: no other exception, no crash, no hang, no huge allocation.
namespace lockstep::tests {

/// Which variants: LOCKSTEP_FUZZ_VARIANTS of them (else `usual`) from LOCKSTEP_FUZZ_FIRST (else 0)
/// on, of LOCKSTEP_FUZZ_SEED (else 1). With LOCKSTEP_FUZZ_SECONDS as many as that time takes.
struct Variants {
  std::uint64_t seed = 1, first = 0, count = 0;
  std::chrono::seconds time{0};
};
Variants chosenVariants(std::uint64_t usual);
/// In initTestCase: Qt Test ends what takes 300 s, the long forms take longer.
void allowFuzzingTime();

struct HeldReading {
  std::string name;            ///< in messages
  std::filesystem::path file;  ///< is overwritten with each variant
  std::filesystem::path told;  ///< what an Error must name, when it is not the file
  std::function<std::string(Choices&)> damage;
  std::function<void()> read;                     ///< may throw Error
  std::size_t mostBytes = std::size_t{64} << 20;  ///< that reading may allocate
  bool isFileTold = true;  ///< an Error names it; else it is any line of plain text
};

/// Runs the variants. Returns what was wrong, empty: nothing; `qInfo` tells how many were refused.
/// A variant that crashes or takes over 2 s of processor time is named on standard error, and its
/// file stays.
std::string faultsOf(const HeldReading& reading, const Variants& variants);
/// The same for these inputs as they are, by name.
std::string faultsOfInputs(const HeldReading& reading,
                           const std::map<std::string, std::string>& inputs);
/// The files of a folder under tests/fixtures/fuzz/ by name. Throws Error when there is none.
std::map<std::string, std::string> fuzzCorpus(const std::string& folder);

/// Why a text is not one line of plain text in UTF-8; empty: it is.
std::string faultOfLine(const std::string& line, int mostCharacters);
/// Why a refusal is not one clear line that names `file`; empty: it is.
std::string faultOfMessage(const std::string& message, const std::filesystem::path& file);

}  // namespace lockstep::tests
