#pragma once

#include <sys/types.h>

#include <filesystem>

#include "engine/base/file_descriptor.h"

namespace lockstep::supervisor {

/// A worker's process, and this side's ends of its connections.
struct LaunchedWorker {
  pid_t pid = -1;
  base::FileDescriptor socket;  ///< for messages
  base::FileDescriptor log;     ///< its standard output and error; non-blocking
};

/// Starts `program`. It has a process group of its own (a terminal's Ctrl-C does not reach it),
/// ignores the signals that ask to stop (the supervisor answers them) and is killed by the system
/// when this process dies. Throws Error when it cannot be started.
LaunchedWorker launchWorker(const std::filesystem::path& program, int localRank);

/// Blocks until the child has exited, and reaps it. Its status is as of waitpid(2).
int waitForExit(pid_t pid);

}  // namespace lockstep::supervisor
