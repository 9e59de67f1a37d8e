#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "engine/events/record.h"

namespace lockstep::events {

/// Reads an event file and goes on where it stopped, so that it also tails a growing one. A torn last record is left for later;
/// a wrong checksum of a length ends the file with an error, a wrong one of data skips the record.
class Reader {
 public:
  explicit Reader(std::filesystem::path file);
  Reader(Reader&&) noexcept;
  ~Reader();

  /// Next whole record, or nothing at the present end. Call again later to go on. Throws Error for a file that is not an event log.
  std::optional<Record> next();
  /// Every record up to the present end.
  std::vector<Record> readAvailable();
  /// Bytes up to the end of the last record returned.
  std::int64_t offsetBytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The event file in a run folder (the first by name), or an empty path.
std::filesystem::path findEventFile(const std::filesystem::path& runFolder);

/// Decodes records from bytes; returns the bytes consumed and appends to `records`. Never reads past `size`.
/// For the reader, the tail and fuzzing.
std::size_t decodeRecords(const char* bytes, std::size_t size, std::int64_t firstSeq, std::vector<Record>& records);

}  // namespace lockstep::events
