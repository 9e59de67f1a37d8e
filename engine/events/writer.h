#pragma once

#include <filesystem>
#include <string>

#include "engine/base/file_descriptor.h"
#include "engine/events/record.h"

namespace lockstep::events {

/// Appends to one event file. Every append is a single write(2) of a complete record, so that kill
/// -9 can truncate only the last one. One writer per file, one thread.
class Writer {
 public:
  /// Opens the run folder's event file, or creates `events.out.tfevents.<time>.<host>.<pid>` with
  /// its version record. An incomplete last record of an existing file is removed. Throws Error.
  static Writer open(const std::filesystem::path& runFolder);

  /// Sets the record's seq and appends it; returns the seq. Throws Error on a write error: the
  /// record is then not in the file, and append() may be retried.
  std::int64_t append(Record record);
  /// Truncates the file before the first record of a later step than `step` (records are ordered by
  /// step, so events at `step` such as its checkpoint stay), then appends a SessionStart at step +
  /// 1 and syncs. Returns the seq of the SessionStart.
  std::int64_t truncateAfterStep(std::int64_t step);
  /// fdatasync: makes all appended records durable. Throws Error.
  void sync();
  std::int64_t nextSeq() const;
  const std::filesystem::path& path() const;

 private:
  Writer() = default;
  [[noreturn]] void fail(const char* what) const;
  void truncateTo(std::int64_t bytes);

  std::filesystem::path path_;
  base::FileDescriptor file_;
  std::int64_t nextSeq_ = 0;
  std::int64_t bytes_ = 0;  ///< up to the end of the last complete record
  bool hasPartialRecord_ =
      false;  ///< the file has an incomplete record after bytes_: a failed write
};

}  // namespace lockstep::events
