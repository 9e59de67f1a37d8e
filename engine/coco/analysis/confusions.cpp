#include "engine/coco/analysis/confusions.h"

#include <algorithm>

namespace lockstep::coco {

std::vector<Confusion> frequentConfusions(const ConfusionMatrix& matrix, std::size_t most) {
  std::vector<Confusion> confusions;
  for (std::size_t actual = 0; actual < matrix.background(); ++actual) {
    for (std::size_t predicted = 0; predicted < matrix.background(); ++predicted) {
      const std::uint32_t count = matrix.at(actual, predicted);
      if (actual != predicted && count > 0) confusions.push_back({actual, predicted, count});
    }
  }
  std::stable_sort(confusions.begin(), confusions.end(),
                   [](const Confusion& a, const Confusion& b) { return a.count > b.count; });
  confusions.resize(std::min(confusions.size(), most));
  return confusions;
}

}  // namespace lockstep::coco
