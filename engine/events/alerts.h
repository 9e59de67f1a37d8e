#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/events/record.h"

namespace lockstep::events {

struct Alert {
  std::string kind;  ///< "non_finite", "overfitting", "checkpoint_failed", "loss_jump"
  std::int64_t step = 0;
  std::string text;  ///< what, and what one can do
};

/// Alerts as a function of the records alone, so that headless runs, replay and the app agree.
class AlertDetector {
 public:
  /// Alerts that this record raises.
  std::vector<Alert> add(const Record& record);

 private:
  std::vector<std::pair<std::int64_t, double>> heldOut_;
  std::vector<std::pair<std::int64_t, double>> train_;
  bool nonFiniteRaised_ = false;
  bool overfittingRaised_ = false;
};

}  // namespace lockstep::events
