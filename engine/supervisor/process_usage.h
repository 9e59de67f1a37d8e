#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::supervisor {

/// Resource usage of processes.
struct ProcessUsage {
  double cpuSeconds = 0;  ///< of all their threads, since they began
  std::int64_t residentBytes = 0;
};

/// Of the existing ones; cheap, reads /proc only.
ProcessUsage usageOf(const std::vector<pid_t>& processes);

/// The same from the texts of /proc/PID/stat and /proc/PID/statm; zeros for others.
ProcessUsage parseUsage(const std::string& stat, const std::string& statm);

}  // namespace lockstep::supervisor
