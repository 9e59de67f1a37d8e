#pragma once

#include <span>

namespace lockstep::coco {

/// Equals numpy.mean of contiguous doubles bit for bit (pairwise summation). Values must not be
/// empty.
double pairwiseMean(std::span<const double> values);

}  // namespace lockstep::coco
