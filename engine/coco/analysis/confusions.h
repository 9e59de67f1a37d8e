#pragma once

#include <vector>

#include "engine/coco/analysis/operating_point.h"

namespace lockstep::coco {

/// Objects of a class that were taken for another one.
struct Confusion {
  std::size_t actual = 0, predicted = 0;  ///< rows of the matrix, never background
  std::uint32_t count = 0;
};

/// The most frequent ones, at most so many.
std::vector<Confusion> frequentConfusions(const ConfusionMatrix& matrix, std::size_t most);

}  // namespace lockstep::coco
