#include "engine/coco/evaluation/pairwise_mean.h"

#include <array>
#include <cstddef>

namespace lockstep::coco {
namespace {

constexpr std::size_t kLanes = 8, kBlock = 128;

double sumInOrder(std::span<const double> values) {
  double sum = 0;
  for (double value : values) sum += value;
  return sum;
}

/// Eight partial sums, then the remainder.
double sumBlock(std::span<const double> values) {
  std::array<double, kLanes> lanes;
  for (std::size_t k = 0; k < kLanes; ++k) lanes[k] = values[k];
  std::size_t i = kLanes;
  for (; i + kLanes <= values.size(); i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lanes[k] += values[i + k];
  }
  double sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
               ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
  for (; i < values.size(); ++i) sum += values[i];
  return sum;
}

double pairwiseSum(std::span<const double> values) {
  if (values.size() < kLanes) return sumInOrder(values);
  if (values.size() <= kBlock) return sumBlock(values);
  std::size_t half = values.size() / 2;
  half -= half % kLanes;
  return pairwiseSum(values.first(half)) + pairwiseSum(values.subspan(half));
}

}  // namespace

double pairwiseMean(std::span<const double> values) {
  return pairwiseSum(values) / static_cast<double>(values.size());
}

}  // namespace lockstep::coco
