#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/alerts/curve.h"
#include "engine/alerts/rule.h"
#include "engine/config/experiment.h"
#include "engine/protocol/event.h"

namespace lockstep::alerts {

/// Applies the rules (rule.h) to a run, as a function of its events alone: every 20 steps, at
/// evaluations and at the end. A training that broke down gets no further advice, unless it goes on
/// with another experiment. A learning-rate range test, which is meant to break down, gets none.
class Advisor {
 public:
  /// Advice that this event gives, as alerts with the key and value to set; without step and time.
  /// Each kind and subject is raised once, and again after the steps that raised it were dropped.
  std::vector<protocol::Alert> add(const protocol::Event& event);
  /// Advice at the end of a log that has no state of the run.
  std::vector<protocol::Alert> finish();
  void forgetFrom(std::int64_t firstDroppedStep);
  /// Whether the log has the experiment, so that a key of it can be set.
  bool knowsExperiment() const { return experiment_.has_value(); }
  /// The last step of the warm-up.
  std::int64_t warmupEnd() const { return run().warmupEnd(); }

 private:
  void handle(const protocol::Scalars& scalars);
  void handle(const protocol::Config& config);
  void handle(const protocol::State& state);
  void handle(const auto&) {}
  void review();
  RunSoFar run() const { return {curves_, experiment_, step_, since_}; }

  /// No more than the windows of the rules, so that none passes unseen.
  static constexpr std::int64_t kReviewSteps = 20;

  Curves curves_;
  std::string experimentText_;
  std::optional<config::Experiment> experiment_;
  std::int64_t since_ = 0;  ///< the step after which the experiment is this one
  std::int64_t step_ = 0, nextReview_ = kReviewSteps;
  std::optional<std::int64_t> brokeDownAt_;
  std::map<std::string, std::int64_t> raisedAt_;  ///< by kind and subject
  std::vector<protocol::Alert> raised_;           ///< by the current event
};

}  // namespace lockstep::alerts
