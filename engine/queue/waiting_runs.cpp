#include "engine/queue/waiting_runs.h"

#include <algorithm>
#include <tuple>

#include "engine/queue/run_queue.h"

namespace lockstep::queue {

std::size_t placeOf(const std::vector<WaitingRun>& waiting, const WaitingRun& entering,
                    int position) {
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const WaitingRun& other = waiting[i];
    if (std::tuple(static_cast<int>(i) + 1, other.created, other.run) >
        std::tuple(position, entering.created, entering.run))
      return i;
  }
  return waiting.size();
}

void moveTo(std::vector<WaitingRun>& waiting, std::size_t from, int position) {
  const std::size_t to =
      std::min(static_cast<std::size_t>(std::max(position, 1)) - 1, waiting.size() - 1);
  const auto begin = waiting.begin();
  const auto at = [begin](std::size_t index) { return begin + static_cast<std::ptrdiff_t>(index); };
  if (to < from) {
    std::rotate(at(to), at(from), at(from + 1));
  } else {
    std::rotate(at(from), at(from + 1), at(to + 1));
  }
}

bool isHeldUp(const std::vector<WaitingRun>& waiting, std::size_t index) {
  const std::vector<std::string>& devices = waiting[index].devices;
  return std::any_of(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(index),
                     [&](const WaitingRun& before) {
                       return std::ranges::find_first_of(before.devices, devices) !=
                              before.devices.end();
                     });
}

}  // namespace lockstep::queue
