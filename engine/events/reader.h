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

#include "engine/events/media.h"
#include "engine/events/record.h"

namespace lockstep::events {

/// A scalar without a copy of its tag: the tag is Reader::tags()[tag], in order of first
/// occurrence.
struct ScalarView {
  std::size_t tag = 0;
  float value = 0;
};

/// A record without copies, valid until the visitor returns. Visiting a million points this way
/// takes half the time of reading Records.
struct RecordView {
  std::int64_t seq = 0;
  double wallTime = 0;
  std::int64_t step = 0;
  Record::Kind kind = Record::Kind::Other;
  std::span<const ScalarView> scalars;  ///< of Scalars and SessionStart, as those of Record
  std::string_view json;                ///< of Event
};

/// Reads an event file incrementally, so that it can tail a growing one. An incomplete last record
/// is left for the next call; a wrong length checksum is an error that ends reading, a wrong data
/// checksum skips the record (its seq is not reused). Also reads files of other writers: several
/// values per record, scalars as float or double tensors.
class Reader {
 public:
  /// Throws Error when the file cannot be opened.
  explicit Reader(std::filesystem::path file);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  /// The next complete record, or nullopt at the current end; call again when the file has grown.
  /// Throws Error for a file that is not an event log.
  std::optional<Record> next();
  /// Every record up to the current end.
  std::vector<Record> readAvailable();

  /// Calls `visitor` for every record up to the current end, at most `maxRecords`; returns their
  /// number. Otherwise like next(); calls of both may be mixed.
  std::int64_t visitAvailable(const std::function<void(const RecordView&)>& visitor,
                              std::int64_t maxRecords = std::numeric_limits<std::int64_t>::max());
  /// The tags of the scalars seen so far. Only grows.
  const std::vector<std::string>& tags() const;
  /// The tags of the values seen so far that are no scalars. Only grows.
  const MediaTags& media() const;

  /// Bytes up to the end of the last record returned.
  std::int64_t offsetBytes() const;
  /// seq of the next record.
  std::int64_t nextSeq() const;
  /// Number of records skipped so far because of their checksum.
  std::int64_t damagedRecords() const;
  /// Offset of the first of them in the file.
  std::optional<std::int64_t> firstDamagedByte() const;
  /// Current file size.
  std::int64_t fileBytes() const;
  /// Whether the file is shorter than what has been read: a resumed run truncated it. Start over
  /// with a new Reader.
  bool wasTruncated() const { return fileBytes() < offsetBytes(); }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The event file in a run folder (the first by name), or an empty path.
std::filesystem::path findEventFile(const std::filesystem::path& runFolder);
/// Whether a path is that of an event file, as TensorBoard tells them by their name.
bool isEventFileName(const std::filesystem::path& path);
/// Whether the first record of an event file names another program as its writer, or none. False
/// for a file without a whole record.
bool isOfAnotherProgram(const std::filesystem::path& eventFile);

}  // namespace lockstep::events
