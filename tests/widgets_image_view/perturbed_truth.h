#pragma once

#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::tests {

/// Predictions like those of a model in training: the ground truth randomly shifted and scaled,
/// with missing objects and false positives. quality: 0 … 1. The same arguments give the same
/// predictions.
std::vector<coco::Detection> perturbedTruth(const coco::Dataset& dataset, double quality);

}  // namespace lockstep::tests
