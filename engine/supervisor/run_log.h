#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/protocol/event.h"

namespace lockstep::run_folder {
class Layout;
}  // namespace lockstep::run_folder

namespace lockstep::supervisor {

/// The log of a command for users and scripts: lines on standard error and, for a run, in
/// engine.log, with control characters escaped. On a terminal, progress is one line that is
/// overwritten. If nobody reads standard error, lines are dropped. Never throws: an error could not
/// be reported anywhere.
class RunLog {
 public:
  /// Empty: standard error only. When standard error is that file already (a detached run), lines
  /// go there once.
  explicit RunLog(const std::filesystem::path& file = {});
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;
  ~RunLog();

  /// `[source] text`: every line but those that scripts parse.
  void write(std::string_view source, std::string_view text);
  /// `[source] warning: text`
  void warn(std::string_view source, std::string_view text);
  /// The same with the level of the record.
  void write(std::string_view source, const protocol::Log& log);
  /// As it is. Without its newline.
  void writeLine(std::string_view text);
  /// Only into the file; nothing when standard error is that file and gets the line anyway.
  void writeToFile(std::string_view text);
  /// A line of a worker's log, when it is a warning: its errors come as messages. Of ranks other
  /// than 0 with their name.
  void forwardWarning(std::string_view workerLine, int rank = 0);
  /// On a terminal replaces the line of progress. Elsewhere nothing.
  void showStatus(std::string_view text);
  bool isTerminal() const { return terminal_; }

 private:
  void writeStandardError(std::string_view text);
  void eraseStatus();

  base::FileDescriptor file_;
  bool terminal_ = false;
  bool fileIsStandardError_ = false;
  bool blocked_ = false;  ///< standard error is not being read
  std::string status_;
};

/// The files rank-N.log of a run folder: what the ranks of node 0 write on standard error and
/// output. Those ranks come first in the world.
class RankLogs {
 public:
  /// Throws Error when one cannot be written.
  RankLogs(const run_folder::Layout& layout, int ranks);

  void writeLine(int rank, const std::string& line);

 private:
  std::vector<base::FileDescriptor> files_;
};

}  // namespace lockstep::supervisor
