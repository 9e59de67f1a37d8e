#pragma once

#include <filesystem>
#include <string>

#include "engine/events/record.h"

namespace lockstep::events {

/// Appends to one event file. Every append is one write(2) of a whole record, so that kill -9 tears at most the last one.
class Writer {
 public:
  /// Opens the run folder's event file, or creates `events.out.tfevents.<time>.<host>.<pid>` with its version record.
  /// A torn last record of an existing file is cut off. Throws Error.
  static Writer open(const std::filesystem::path& runFolder);
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  /// Gives the record its seq and appends it; returns the seq. Throws Error when the disk refuses (the record is then not in the file).
  std::int64_t append(Record record);
  /// Cuts the file after the last record with step <= `step` whose kind is not about a later step, then appends a
  /// SessionStart at step + 1. Returns the seq of the SessionStart.
  std::int64_t cutAfterStep(std::int64_t step);
  void sync();
  std::int64_t nextSeq() const;
  const std::filesystem::path& path() const;

 private:
  Writer() = default;
  std::filesystem::path path_;
  int fd_ = -1;
  std::int64_t nextSeq_ = 0;
};

}  // namespace lockstep::events
