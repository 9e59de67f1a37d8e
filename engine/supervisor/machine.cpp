#include "engine/supervisor/machine.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace lockstep::supervisor {
namespace {

/// Cores by the quota of control group v2 (`QUOTA PERIOD`), or 0 when there is none.
int quotaCores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double quota = 0, period = 0;
  if (!(file >> quota >> period) || period <= 0) return 0;  // "max" is no number
  return static_cast<int>(std::ceil(quota / period));
}

/// Limit of control group v2, or 0 when there is none.
std::int64_t limitBytes() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::int64_t bytes = 0;
  return file >> bytes ? bytes : 0;
}

}  // namespace

int usableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = ::sched_getaffinity(0, sizeof set, &set) == 0
                  ? CPU_COUNT(&set)
                  : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (const int quota = quotaCores(); quota > 0) cores = std::min(cores, quota);
  return std::max(cores, 1);
}

std::int64_t usableMemoryBytes() {
  const std::int64_t all = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  const std::int64_t limit = limitBytes();
  return limit > 0 ? std::min(all, limit) : all;
}

}  // namespace lockstep::supervisor
