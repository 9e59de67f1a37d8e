#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/ops/selection.h"

/// Random sampling without random state: k of n are those with the k smallest hashed keys. Letters:
/// N images, A candidates per image, K samples.
namespace lockstep::ops {

/// The candidates of isCandidate [N,A] bool with the min(count, A) smallest counterHash({key of the
/// image, number}), in ascending order. `numbers` [N,A] int64: each candidate's number in the hash;
/// undefined: its index. The same result on every device.
Selection selectSmallestKeys(const at::Tensor& isCandidate, std::int64_t count,
                             const std::vector<std::uint64_t>& keys,
                             const at::Tensor& numbers = {});

struct SampleCounts {
  std::int64_t total = 256;       ///< per image
  double positiveFraction = 0.5;  ///< maximum fraction of positives; negatives fill the rest
  std::int64_t mostPositives() const {
    return static_cast<std::int64_t>(static_cast<double>(total) * positiveFraction);
  }
};

/// One for each image.
struct SamplingKeys {
  std::vector<std::uint64_t> positive, negative;
};

/// Positives, then negatives.
struct BalancedSelection : Selection {
  at::Tensor isPositive;  ///< [N,K] bool, of the valid ones
};

/// As torchvision's BalancedPositiveNegativeSampler: samples positives (labels > 0) and negatives
/// (labels == 0) for a loss, K = min(total, A); labels < 0 are ignored. labels [N,A] of any signed
/// type; numbers as for selectSmallestKeys.
BalancedSelection sampleBalanced(const at::Tensor& labels, const SampleCounts& counts,
                                 const SamplingKeys& keys, const at::Tensor& numbers = {});

/// Kernels; count: at most A.
using SelectSmallestKeysKernel = Selection(const at::Tensor& isCandidate, std::int64_t count,
                                           const std::vector<std::uint64_t>& keys,
                                           const at::Tensor& numbers);
namespace cpu {
SelectSmallestKeysKernel selectSmallestKeys;
}
/// One kernel launch, or two with more than some thousand candidates. Does not synchronise.
using SampleBalancedKernel = BalancedSelection(const at::Tensor& labels, const SampleCounts& counts,
                                               const SamplingKeys& keys, const at::Tensor& numbers);
namespace cuda {
SampleBalancedKernel sampleBalanced;
inline constexpr std::int64_t kMostSampled = 2048;  ///< of an image
}  // namespace cuda

}  // namespace lockstep::ops
