#include "engine/config/resumed_keys.h"

#include <algorithm>
#include <array>

namespace lockstep::config {

bool mayChangeOnResume(std::string_view key) {
  constexpr std::array<std::string_view, 4> kSections = {"evaluation.", "checkpoint.", "monitor.",
                                                         "runtime."};
  // How images are loaded changes nothing but the time.
  constexpr std::array<std::string_view, 5> kKeys = {"solver.max_steps", "dataset.bad_images",
                                                     "dataset.cache", "dataset.cache_limit",
                                                     "dataset.loader_threads"};
  return std::ranges::find(kKeys, key) != kKeys.end() ||
         std::ranges::any_of(kSections,
                             [&](std::string_view section) { return key.starts_with(section); });
}

}  // namespace lockstep::config
