#pragma once

#include <cstdint>

/// Resources of this machine that a run may use.
namespace lockstep::supervisor {

/// Processor cores this process may use: its affinity, and the quota of its control group when that
/// is less. At least 1.
int usableCores();
/// Memory this process may use: the machine's, or its control group's limit when that is less.
std::int64_t usableMemoryBytes();

}  // namespace lockstep::supervisor
