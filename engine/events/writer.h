#pragma once

#include <filesystem>
#include <string>

#include "engine/base/file_descriptor.h"
#include "engine/events/record.h"

namespace lockstep::events {

/// Appends to one event file. Every append is one write(2) of a whole record, so that kill -9 tears
/// at most the last one. One writer a file, one thread.
class Writer {
 public:
  /// Opens the run folder's event file, or creates `events.out.tfevents.<time>.<host>.<pid>` with
  /// its version record. A torn last record of an existing file is cut off. Throws Error.
  static Writer open(const std::filesystem::path& runFolder);

  /// Gives the record its seq and appends it; returns the seq. Throws Error when the disk refuses
  /// (the record is then not in the file, and may be appended again).
  std::int64_t append(Record record);
  /// Cuts the file before the first record of a step after `step` (records lie in the order of
  /// their steps, so events at `step` such as its checkpoint stay), then appends a SessionStart at
  /// step + 1 and syncs. Returns the seq of the SessionStart.
  std::int64_t cutAfterStep(std::int64_t step);
  /// Everything appended is on the disk, or Error.
  void sync();
  std::int64_t nextSeq() const;
  const std::filesystem::path& path() const;

 private:
  Writer() = default;
  [[noreturn]] void fail(const char* what) const;
  void cutTo(std::int64_t bytes);

  std::filesystem::path path_;
  base::FileDescriptor file_;
  std::int64_t nextSeq_ = 0;
  std::int64_t bytes_ = 0;  ///< up to the end of the last whole record
  bool isTorn_ =
      false;  ///< the file holds more than bytes_: a part of a record that the disk refused
};

}  // namespace lockstep::events
