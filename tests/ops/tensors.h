#pragma once

#include <vector>

#include "tests/support/torch.h"

#ifndef Q_MOC_RUN
namespace lockstep::tests {

/// [n] int64
inline at::Tensor indices(const std::vector<std::int64_t>& values) {
  return torch::tensor(values, at::kLong);
}

/// Largest difference, relative to the largest value.
inline double relativeDifference(const at::Tensor& value, const at::Tensor& reference) {
  const at::Tensor exact = reference.to(at::kDouble);
  return ((value.to(at::kDouble) - exact).abs().max() / exact.abs().max()).item<double>();
}

}  // namespace lockstep::tests
#endif
