#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/base/file_descriptor.h"
#include "engine/protocol/worker_messages.h"
#include "engine/supervisor/outgoing_lines.h"
#include "engine/supervisor/poll_loop.h"

namespace lockstep::supervisor {

/// How a worker ended.
struct WorkerExit {
  bool bySignal = false;
  int code = 0;  ///< exit status, or the signal
  /// `SIGKILL`, `exit status 3`
  std::string describe() const;
};

/// `lockstep-worker` beside this program's own file. Throws Error when it is not there.
std::filesystem::path workerProgramBesideThis();

/// One rank: a child process (worker_launch.h) that exchanges messages over a socket pair and logs
/// to standard error.
class WorkerProcess {
 public:
  struct Handlers {
    std::function<void(const protocol::WorkerMessage&)> message;
    std::function<void(const std::string&)> logLine;  ///< a line of its standard error or output
    std::function<void(const WorkerExit&)> exited;    ///< after everything it sent was handled
  };

  WorkerProcess(PollLoop& loop, Handlers handlers);
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  /// Kills and reaps a worker that still runs.
  ~WorkerProcess();

  /// Once. Throws Error when the program cannot be started, UserError when the job is too long.
  void start(const std::filesystem::path& program, const protocol::Job& job);
  void send(const protocol::Control& control);
  /// SIGKILL to the worker and what it started.
  void kill();
  /// To be called after SIGCHLD; tried once a second anyway.
  void reap();
  bool isRunning() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }  ///< -1: it does not run
  /// By SIGSTOP, until a SIGCONT.
  bool isStopped() const;

 private:
  enum class Extent { OneTurn, Everything };
  void readMessages(Extent extent);
  void handleMessages();
  void readLog(Extent extent);
  void closeSocket();
  void closeLog();

  PollLoop& loop_;
  Handlers handlers_;
  pid_t pid_ = -1;
  base::FileDescriptor socket_;
  base::FileDescriptor log_;
  protocol::LineBuffer received_;
  OutgoingLines outgoing_;
  std::string logBuffer_;
  std::optional<PollLoop::TimerId> reaper_;
};

}  // namespace lockstep::supervisor
