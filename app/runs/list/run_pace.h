#pragma once

#include <cstdint>
#include <optional>

#include "engine/run_folder/run_folder.h"

namespace lockstep::app {

/// How fast a run goes, from where it was when it was first seen working: run.json does not say at
/// which step a resumed run or a fork began, nor how long it was paused.
class RunPace {
 public:
  /// To be called whenever what is known of the run changes.
  void update(const run_folder::RunInfo& before, const run_folder::RunInfo& now);
  /// To its last step. nullopt: it does not work, or was not seen at two steps.
  std::optional<double> secondsLeft(const run_folder::RunSummary& run) const;

 private:
  struct Place {
    std::int64_t step = 0;
    double time = 0;
  };
  std::optional<Place> first_;
};

}  // namespace lockstep::app
