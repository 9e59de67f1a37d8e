#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/foreign_runs/faults.h"

namespace lockstep::foreign_runs {

namespace fs = std::filesystem;

/// Reads the lines that another program appends to a text file.
class AppendedLines {
 public:
  /// Bytes behind the text that may be read, for parsers that look ahead.
  static constexpr std::size_t kPaddingBytes = 64;
  /// Longer lines are faults.
  static constexpr std::size_t kMaxLineBytes = 1 << 20;

  struct Line {
    std::string_view text;  ///< without its line break; not empty; valid until the visitor returns
    std::int64_t number = 0;  ///< from 1
  };

  explicit AppendedLines(fs::path file) : file_(std::move(file)) {}
  const fs::path& file() const { return file_; }
  /// `scalars.json:12`
  std::string placeOf(const Line& line) const {
    return file_.string() + ":" + std::to_string(line.number);
  }

  /// Calls `visitor` for each line that was ended since the last call: the last may be half
  /// written. False, without calls: what was read is no longer in the file. The file may be
  /// replaced by one that begins alike, as copying programs do. Throws Error.
  [[nodiscard]] bool visit(const std::function<void(const Line&)>& visitor, Faults& faults);

 private:
  bool hasChanged();
  bool isContinuedBy(int descriptor) const;
  void remember(int descriptor);
  std::size_t visitWhole(std::string_view bytes, const std::function<void(const Line&)>& visitor,
                         Faults& faults);
  void visitLine(std::string_view text, const std::function<void(const Line&)>& visitor,
                 Faults& faults);
  void refuseLong(Faults& faults) const;

  fs::path file_;
  struct stat seen_ {};        ///< of the last call
  std::int64_t offset_ = 0;    ///< of the first byte that is not read
  std::int64_t lines_ = 0;     ///< ended before it
  std::string before_;         ///< the bytes before offset_
  bool isInLongLine_ = false;  ///< the rest of it is skipped
};

}  // namespace lockstep::foreign_runs
