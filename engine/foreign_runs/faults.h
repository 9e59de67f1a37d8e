#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace lockstep::foreign_runs {

/// What of a run could not be read. All else was.
struct Faults {
  std::int64_t count = 0;
  std::string first;  ///< file, place, what is wrong there and what became of it

  void add(std::string text, std::int64_t times = 1) {
    if (count == 0) first = std::move(text);
    count += times;
  }
};

}  // namespace lockstep::foreign_runs
