#pragma once

#include <span>

namespace lockstep::coco {

/// numpy.mean of doubles that lie side by side, to the last bit: it sums by halves, so that
/// rounding errors stay small. Values must not be empty.
double pairwiseMean(std::span<const double> values);

}  // namespace lockstep::coco
