#pragma once

#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/config/experiment.h"

namespace lockstep::cli {

/// The numbers that `solver.class_weights` means for these training images; empty: none.
std::vector<double> classWeightsOf(const config::SolverConfig& solver, const coco::Dataset& dataset,
                                   std::span<const std::size_t> images);

/// Replaces `solver.class_weights: inverse` by its numbers. Throws Error for training annotations
/// that cannot be read.
void resolveClassWeights(config::Experiment& experiment);

}  // namespace lockstep::cli
