#pragma once

#include <functional>
#include <string>

#include "engine/protocol/messages.h"
#include "engine/run_folder/run_files.h"
#include "engine/run_folder/run_folder.h"
#include "engine/supervisor/event_log.h"

namespace lockstep::supervisor {

/// A run without a process, with the messages that its socket had: its records, its status and its
/// files. Other requests are refused.
class EndedRun {
 public:
  /// Reads the event log once. Throws Error.
  explicit EndedRun(const run_folder::Layout& layout)
      : EndedRun(layout, run_folder::RunFiles(layout)) {}
  /// `files`: what it answers requests for files with.
  EndedRun(const run_folder::Layout& layout, run_folder::RunFiles files);

  /// Gets each line of an answer, without its newline.
  using Send = std::function<void(const std::string& line)>;
  /// Blocks while it reads the event log or a file, and while `send` does. Throws Error.
  void answer(const protocol::ClientMessage& message, const Send& send);

 private:
  void greet(const protocol::Hello& hello, const Send& send) const;
  protocol::EngineMessage answerTo(const protocol::Command& command) const;

  run_folder::Layout layout_;
  run_folder::RunInfo info_;
  std::filesystem::path eventFile_;
  EventLogSummary eventLog_;
  run_folder::RunFiles files_;
};

}  // namespace lockstep::supervisor
