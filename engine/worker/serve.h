#pragma once

#include <functional>

#include "engine/worker/jobs.h"

namespace lockstep::worker {

/// Does the one job that comes through the socket by `run`, and says how it went. Returns the exit
/// status. Where a thread or a destructor throws what nobody catches (after an error of a GPU many
/// do) that is said as well, and the process ends at once.
int serve(int fd,
          const std::function<protocol::Finished(const protocol::Work&, const JobContext&)>& run);

/// The function of its job.
protocol::Finished runWork(const protocol::Work& work, const JobContext& context);

}  // namespace lockstep::worker
