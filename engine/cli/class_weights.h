#pragma once

#include "engine/config/experiment.h"

namespace lockstep::cli {

/// Replaces `solver.class_weights: inverse` by the numbers of the training annotations, so that
/// config.yaml has them. Throws Error for annotations that cannot be read.
void resolveClassWeights(config::Experiment& experiment);

}  // namespace lockstep::cli
