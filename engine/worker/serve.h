#pragma once

#include <map>
#include <string>

#include "engine/worker/jobs.h"

namespace lockstep::worker {

using JobTable = std::map<std::string, protocol::Finished (*)(const JobContext&)>;

/// Does the one job that comes through the socket, and says how it went. Returns the exit status.
/// Where a thread or a destructor throws what nobody catches (after an error of a GPU many do) that
/// is said as well, and the process ends at once.
int serve(int fd, const JobTable& jobs);

}  // namespace lockstep::worker
