#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "engine/base/file_descriptor.h"
#include "engine/config/experiment.h"
#include "engine/protocol/event.h"
#include "engine/run_folder/run_folder.h"
#include "engine/supervisor/poll_loop.h"
#include "engine/supervisor/run_log.h"

namespace lockstep::supervisor {

/// The commands of monitor.on_event, run by /bin/sh, each in a session of its own, with the event
/// as a line of JSON on standard input and what is printed dropped. They run one after another and
/// never hold up the loop; a best that still waits is replaced by the next. One that takes too long
/// is killed, and those of its kind that wait are dropped. A failure is a warning, once for each
/// kind of event.
class EventCommands {
 public:
  /// patience: for one command, which is killed after it.
  EventCommands(PollLoop& loop, RunLog& log, config::EventCommands commands,
                run_folder::Layout layout, std::string runName,
                PollLoop::Clock::duration patience = std::chrono::minutes(5));
  EventCommands(const EventCommands&) = delete;
  EventCommands& operator=(const EventCommands&) = delete;
  /// Kills what still runs.
  ~EventCommands();

  /// checkpoint: its folder; empty: none is kept of it.
  void best(const run_folder::Best& best, const std::filesystem::path& checkpoint);
  void alert(const protocol::Alert& alert);
  /// The run has ended, and its files are written.
  void end(const run_folder::RunInfo& info);

  /// Whether a command for the best of this step runs or waits, which may read its checkpoint.
  bool needsCheckpoint(std::int64_t step) const;

  bool isIdle() const { return pid_ <= 0 && waiting_.empty(); }
  /// To be called after SIGCHLD; tried once a second anyway.
  void reap();
  /// Kills what runs, and forgets what waits.
  void abandon();

 private:
  struct Task {
    std::string kind;  ///< the key below monitor.on_event
    std::string command;
    std::string json;
    std::optional<std::int64_t> checkpointStep{};  ///< whose folder `json` names
  };
  void enqueue(Task task);
  void startNext();
  void start();
  void readOutput();
  ssize_t readPiece();
  void conclude(int status);
  void fail(const std::string& reason);
  void kill();

  PollLoop& loop_;
  RunLog& log_;
  config::EventCommands commands_;
  run_folder::Layout layout_;
  std::string runName_;
  PollLoop::Clock::duration patience_;
  std::deque<Task> waiting_;
  Task running_;
  pid_t pid_ = -1;
  bool isLate_ = false;
  base::FileDescriptor output_;
  std::string lastLines_;  ///< the end of what it has printed
  std::optional<PollLoop::TimerId> deadline_;
  PollLoop::TimerId reaper_;
  std::set<std::string> failed_;
};

}  // namespace lockstep::supervisor
