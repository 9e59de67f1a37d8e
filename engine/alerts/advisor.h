#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/alerts/curve.h"
#include "engine/config/experiment.h"
#include "engine/protocol/event.h"

namespace lockstep::alerts {

/// Applies the rules (rule.h) to a run, as a function of its events alone: every 50 steps at first,
/// then every 5 % of the steps so far, at evaluations and at the end.
class Advisor {
 public:
  /// Advice that this event gives, as alerts with the key and value to set; without step and time.
  /// Each kind and subject is raised once, and again after the steps that raised it were dropped.
  std::vector<protocol::Alert> add(const protocol::Event& event);
  void forgetFrom(std::int64_t firstDroppedStep);

 private:
  void handle(const protocol::Scalars& scalars);
  void handle(const protocol::Config& config);
  void handle(const protocol::State& state);
  void handle(const auto&) {}
  void review();

  Curves curves_;
  std::optional<config::Experiment> experiment_;
  std::int64_t step_ = 0, nextReview_ = 0;
  std::map<std::string, std::int64_t> raisedAt_;  ///< by kind and subject
  std::vector<protocol::Alert> raised_;           ///< by the current event
};

}  // namespace lockstep::alerts
