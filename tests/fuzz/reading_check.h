#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "tests/fuzz/choices.h"

/// Reads many damaged variants of a file. Each reading must give a value, or an Error of one line
/// with the file: no other exception, no crash, no hang, no huge allocation.
namespace lockstep::tests {

/// The variants: LOCKSTEP_FUZZ_VARIANTS (else `usual`) starting at LOCKSTEP_FUZZ_FIRST (else 0),
/// for LOCKSTEP_FUZZ_SEED (else 1). With LOCKSTEP_FUZZ_SECONDS: as many as fit in that time.
struct Variants {
  std::uint64_t seed = 1, first = 0, count = 0;
  std::chrono::seconds time{0};
};
Variants chosenVariants(std::uint64_t usual);
/// Call in initTestCase: Qt Test aborts after 300 s, but long fuzzing takes longer.
void allowFuzzingTime();

/// Throws std::logic_error unless `holds`: a property is violated.
void expect(bool holds, const std::string& what);

struct ReadingCheck {
  std::string name;             ///< in messages
  std::filesystem::path file;   ///< overwritten with each variant
  std::filesystem::path named;  ///< path that an Error must name, if not the file
  std::function<std::string(Choices&)> damage;
  std::function<void()> read;                    ///< may throw Error
  std::size_t maxBytes = std::size_t{64} << 20;  ///< limit of allocations while reading
  bool namesFile = true;  ///< an Error must name the file; else any line of plain text
};

/// Runs the variants. Returns the failures, empty: none; logs the number of errors with qInfo. A
/// variant that crashes or takes over 2 s of CPU time is printed on standard error, and its file is
/// kept.
std::string failuresOf(const ReadingCheck& reading, const Variants& variants);
/// The same for named inputs, unmodified.
std::string failuresOfInputs(const ReadingCheck& reading,
                             const std::map<std::string, std::string>& inputs);
/// The files of a folder under tests/fixtures/fuzz/, by name. Throws Error if there are none.
std::map<std::string, std::string> fuzzCorpus(const std::string& folder);

/// Why a string is not one line of plain UTF-8 text; empty: it is.
std::string lineProblem(const std::string& line, int maxCharacters);
/// Why an error message is not one line of plain text with `file`; empty: it is.
std::string messageProblem(const std::string& message, const std::filesystem::path& file);

}  // namespace lockstep::tests
