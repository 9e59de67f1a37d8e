#pragma once

#include <functional>

#include "engine/worker/jobs.h"

namespace lockstep::worker {

/// Receives one job from the socket, executes it with `run` and reports the result. Returns the
/// exit code. An uncaught exception of a thread or a destructor (common after a CUDA error) is
/// reported as well, and the process exits immediately.
int serve(int fd,
          const std::function<protocol::Finished(const protocol::Work&, const JobContext&)>& run);

/// Calls run() for the job's type.
protocol::Finished runWork(const protocol::Work& work, const JobContext& context);

}  // namespace lockstep::worker
