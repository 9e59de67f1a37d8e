#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

/// Letters: P tensors.
namespace lockstep::ops {

/// Columns of what tensorSums() returns.
enum TensorSum : std::int64_t { kSum, kSumOfSquares, kSumOfSquaredDifferences };

/// For each tensor the sum of its elements and of their squares -> [P,2] float64. With `others`,
/// one tensor of the same layout for each, also the sum of the squared differences -> [P,3]. All
/// are float32, non-overlapping and dense, on one device. Summed in float64 in an order that the
/// sizes alone determine, independent of the number of threads. Does not synchronise.
at::Tensor tensorSums(const std::vector<at::Tensor>& tensors,
                      const std::vector<at::Tensor>& others = {});

/// Elements that are summed together before the sums of a tensor are added up.
inline constexpr std::int64_t kSumChunk = 16384;

/// Kernels.
using TensorSumsKernel = at::Tensor(const std::vector<at::Tensor>& tensors,
                                    const std::vector<at::Tensor>& others);
namespace cpu {
TensorSumsKernel tensorSums;
}
namespace cuda {
TensorSumsKernel tensorSums;  ///< in two launches
}

}  // namespace lockstep::ops
