#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "engine/base/file_descriptor.h"
#include "engine/protocol/event.h"

namespace lockstep::supervisor {

/// What a person or a script reads of a command: lines on standard error and, for a run, in
/// engine.log. On a terminal the progress is one line that is written over. A standard error that
/// nobody reads loses lines and stops nothing. Never throws: there is nowhere to say it.
class RunLog {
 public:
  /// Empty: standard error only. When standard error is that file already (a detached run), lines
  /// go there once.
  explicit RunLog(const std::filesystem::path& file = {});
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;
  ~RunLog();

  /// Without its newline.
  void line(std::string_view text);
  /// `[part] text`: every line but those that scripts are written against.
  void say(std::string_view part, std::string_view text);
  /// `[part] warning: text`
  void say(std::string_view part, const protocol::Log& log);
  /// A line of a worker's log, when it is a warning: its errors come as messages. Of ranks other
  /// than 0 with their name.
  void passOn(std::string_view workerLine, int rank = 0);
  /// Only into the file; nothing when standard error is that file and gets the line anyway.
  void fileLine(std::string_view text);
  /// For a terminal: takes the place of the last one. Elsewhere nothing.
  void status(std::string_view text);
  bool isTerminal() const { return terminal_; }

 private:
  void writeStandardError(std::string_view text);
  void eraseStatus();

  base::FileDescriptor file_;
  bool terminal_ = false;
  bool fileIsStandardError_ = false;
  bool blocked_ = false;  ///< nobody reads standard error at the moment
  std::string status_;
};

}  // namespace lockstep::supervisor
