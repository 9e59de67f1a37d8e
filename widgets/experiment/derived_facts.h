#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/config/anchor_fit.h"
#include "engine/config/experiment.h"

namespace lockstep::widgets {

/// Of the training images those that are drawn in an epoch, with repeats; all held-out images. 0:
/// not known.
struct ImageCounts {
  std::int64_t drawsPerEpoch = 0, val = 0;
};

/// What is known of the training objects of the data.
struct KnownObjects {
  config::BoxSizes boxes{};                             ///< without any: not known
  std::optional<config::AnchorConfig> betterAnchors{};  ///< that cover more of them
};

/// An experiment with every duration converted to steps.
struct StepPlan {
  config::Experiment experiment;
  /// False: a duration is in epochs and the number of draws is not known. One epoch then
  /// counts as kNominalEpoch steps.
  bool isExact = true;
  std::int64_t maxSteps() const { return experiment.solver.maxSteps.steps(); }

  static constexpr std::int64_t kNominalEpoch = 1000;
};
StepPlan planSteps(const config::Experiment& experiment, const ImageCounts& images);

/// Facts derived from an experiment, as name and value, and warnings about settings that are
/// probably not intended.
struct DerivedFacts {
  struct Fact {
    QString name, value;
  };
  std::vector<Fact> facts;
  std::vector<QString> warnings;
};
DerivedFacts deriveFacts(const config::Experiment& experiment, const ImageCounts& images);

}  // namespace lockstep::widgets
