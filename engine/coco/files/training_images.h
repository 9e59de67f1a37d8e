#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/coco/files/dataset.h"

namespace lockstep::coco {

/// Indices of the images that training uses: all, or those with a usable annotation.
std::vector<std::size_t> trainingImages(const Dataset& dataset, bool skipsEmpty);

/// How often each of these images is drawn per epoch on average, at least once: the largest over
/// its categories of sqrt(threshold / share of the images that have the category). 1 for all if the
/// threshold is 0. Source: Gupta et al., "LVIS", CVPR 2019, as in Detectron2's
/// RepeatFactorTrainingSampler.
std::vector<double> repeatFactors(const Dataset& dataset, std::span<const std::size_t> images,
                                  double threshold);

/// The length of an epoch: their sum, rounded.
std::int64_t drawsPerEpoch(std::span<const double> repeatFactors);
std::int64_t drawsPerEpoch(const Dataset& dataset, bool skipsEmpty, double repeatThreshold);

/// A weight for each category, in their order: proportional to 1 / n of its n usable objects in
/// these images, with mean 1 over all objects; 1 for a category without objects.
std::vector<double> inverseClassWeights(const Dataset& dataset,
                                        std::span<const std::size_t> images);

}  // namespace lockstep::coco
