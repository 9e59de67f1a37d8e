#pragma once

#include <vector>

#include "engine/coco/files/dataset.h"
#include "engine/coco/files/results.h"

namespace lockstep::tests {

/// Predictions as a model in training might give them: the ground truth shifted and scaled at
/// random, some missing, some made up. quality 0 … 1; the same arguments give the same predictions.
std::vector<coco::Detection> perturbedTruth(const coco::Dataset& dataset, double quality);

}  // namespace lockstep::tests
