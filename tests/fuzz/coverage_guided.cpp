// libFuzzer targets with the checks of the tests; built by coverage_guided.sh, once for each
// LOCKSTEP_FUZZ_TARGET (a function of the bytes).
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "engine/base/crc32c.h"
#include "engine/base/error.h"
#include "engine/events/record_frame.h"
#include "tests/fuzz/check_event_log.h"
#include "tests/fuzz/check_messages.h"

namespace {

[[maybe_unused]] void decoders(std::string_view bytes) { lockstep::tests::checkDecoders(bytes); }

[[maybe_unused]] void lineBuffer(std::string_view bytes) {
  lockstep::tests::checkLineBuffer(bytes);
}

void eventLog(std::string_view bytes) {
  static const std::filesystem::path kFile =
      std::filesystem::path(std::getenv("LOCKSTEP_FUZZ_FOLDER")) / "events.out.tfevents.1";
  std::ofstream(kFile, std::ios::binary | std::ios::trunc) << bytes;
  lockstep::tests::checkEventLog(kFile);
}

void storeChecksum(const unsigned char* bytes, std::size_t count, unsigned char* stored) {
  const std::uint32_t sum = lockstep::events::maskCrc(
      lockstep::base::crc32c({reinterpret_cast<const char*>(bytes), count}));
  std::memcpy(stored, &sum, sizeof sum);
}

/// Fixes the checksums, which fuzzing does not find; a length that is too large ends the file.
void fixChecksums(unsigned char* bytes, std::size_t size) {
  constexpr std::size_t kAround = 16;
  while (size >= kAround) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes, sizeof length);
    length = std::min<std::uint64_t>(length, size - kAround);
    std::memcpy(bytes, &length, sizeof length);
    storeChecksum(bytes, 8, bytes + 8);
    storeChecksum(bytes + 12, length, bytes + 12 + length);
    bytes += kAround + length;
    size -= kAround + length;
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(unsigned char* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(unsigned char* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, most);
  constexpr void (*kTarget)(std::string_view) = LOCKSTEP_FUZZ_TARGET;
  if (kTarget == eventLog && seed % 4 != 0) fixChecksums(data, mutated);
  return mutated;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  try {
    LOCKSTEP_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  } catch (const lockstep::Error&) {  // expected
  } catch (const std::exception& error) {
    std::fprintf(stderr, "failed: %s\n", error.what());
    std::abort();
  }
  return 0;
}
