#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// The rule is in lock_folder.h.
namespace lockstep::queue {

/// A run in the queue.
struct WaitingRun {
  std::string run;                   ///< its folder, a real path
  std::vector<std::string> devices;  ///< Device::id of those that it needs
  double created = 0;                ///< as in run.json
  std::int64_t pid = 0;              ///< of its waiting process
};

/// The runs of this user that wait on this machine, in their order; the first has position 1. Only
/// those whose process lives. Reads files and waits for nothing. Throws Error.
std::vector<WaitingRun> waitingRuns();

// ---- The order as a function of itself.

/// Where a run enters `waiting`, whose first run has position 1.
std::size_t placeOf(const std::vector<WaitingRun>& waiting, const WaitingRun& entering,
                    int position);
/// Moves a run; beyond the last position means the last.
void moveTo(std::vector<WaitingRun>& waiting, std::size_t from, int position);
/// Whether a run before it waits for one of its devices.
bool isHeldUp(const std::vector<WaitingRun>& waiting, std::size_t index);

}  // namespace lockstep::queue
