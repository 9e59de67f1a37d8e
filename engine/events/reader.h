#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/events/record.h"

namespace lockstep::events {

/// A scalar without a copy of its tag. `tag` counts the reader's tags in the order of their first
/// sight: Reader::tags()[tag].
struct ScalarView {
  std::size_t tag = 0;
  float value = 0;
};

/// A record without copies, valid until the visitor returns. For whoever reads a million points:
/// visiting them takes half the time of Records.
struct RecordView {
  std::int64_t seq = 0;
  double wallTime = 0;
  std::int64_t step = 0;
  Record::Kind kind = Record::Kind::Other;
  std::span<const ScalarView> scalars;  ///< of Scalars
  std::string_view json;                ///< of Event
};

/// Reads an event file and goes on where it stopped, so that it also tails a growing one. A torn
/// last record is left for later; a wrong checksum of a length ends the file with an error, a wrong
/// one of data skips the record (its seq is not given to another). Also reads the files of other
/// writers: several values a record, scalars as float or double tensors.
class Reader {
 public:
  /// Throws Error when the file cannot be opened.
  explicit Reader(std::filesystem::path file);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// Next whole record, or nothing at the present end. Call again later to go on. Throws Error for
  /// a file that is not an event log.
  std::optional<Record> next();
  /// Every record up to the present end.
  std::vector<Record> readAvailable();

  /// Calls `visitor` for every record up to the present end, or for `maxRecords` of them; returns
  /// how many. As next() otherwise, and the two may be mixed.
  std::int64_t visitAvailable(const std::function<void(const RecordView&)>& visitor,
                              std::int64_t maxRecords = std::numeric_limits<std::int64_t>::max());
  /// The tags of the scalars seen so far. Only grows.
  const std::vector<std::string>& tags() const;

  /// Bytes up to the end of the last record returned.
  std::int64_t offsetBytes() const;
  /// seq of the next record.
  std::int64_t nextSeq() const;
  /// Of those so far, how many were left out for their checksum.
  std::int64_t damagedRecords() const;
  /// Bytes in the file at present.
  std::int64_t fileBytes() const;
  /// Whether the file is shorter than what has been read: a resume cut it. Begin again with a new
  /// Reader.
  bool wasCut() const { return fileBytes() < offsetBytes(); }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The event file in a run folder (the first by name), or an empty path.
std::filesystem::path findEventFile(const std::filesystem::path& runFolder);

}  // namespace lockstep::events
