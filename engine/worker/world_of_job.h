#pragma once

#include <memory>

#include "engine/dist/world.h"
#include "engine/worker/jobs.h"

namespace lockstep::worker {

/// The world of a job, and the job as rank 0 has it.
struct JoinedWorld {
  std::unique_ptr<dist::World> world;
  protocol::Job job;
};

/// Waits for the other ranks. Throws Error that says who is missing.
JoinedWorld joinWorldOf(const JobContext& context);

}  // namespace lockstep::worker
