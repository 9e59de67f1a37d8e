#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "engine/ops/selection.h"

/// Random choice without random state: k of n are the k with the smallest hashed keys. Letters: N
/// images, A candidates of an image, K chosen.
namespace lockstep::ops {

/// The candidates of isCandidate [N,A] bool with the min(count, A) smallest counterHash({key of the
/// image, number}), smallest first. `numbers` [N,A] int64: what each candidate is called in the
/// hash; undefined: its index. The same choice on every device.
Selection selectSmallestKeys(const at::Tensor& isCandidate, std::int64_t count,
                             const std::vector<std::uint64_t>& keys,
                             const at::Tensor& numbers = {});

struct SampleCounts {
  std::int64_t total = 256;       ///< per image
  double positiveFraction = 0.5;  ///< at most this share is positive; negatives fill the rest
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

/// Positives (labels > 0) and negatives (labels == 0) for a loss, K = min(total, A); labels < 0 are
/// left out. labels [N,A] of any signed type; numbers as for selectSmallestKeys.
BalancedSelection sampleBalanced(const at::Tensor& labels, const SampleCounts& counts,
                                 const SamplingKeys& keys, const at::Tensor& numbers = {});

/// Kernels; count: at most A.
using SelectSmallestKeysKernel = Selection(const at::Tensor& isCandidate, std::int64_t count,
                                           const std::vector<std::uint64_t>& keys,
                                           const at::Tensor& numbers);
namespace cpu {
SelectSmallestKeysKernel selectSmallestKeys;
}
/// In one launch or, of more than some thousand candidates, two. Does not wait for the device.
using SampleBalancedKernel = BalancedSelection(const at::Tensor& labels, const SampleCounts& counts,
                                               const SamplingKeys& keys, const at::Tensor& numbers);
namespace cuda {
SampleBalancedKernel sampleBalanced;
inline constexpr std::int64_t kMostSampled = 2048;  ///< of an image
}  // namespace cuda

}  // namespace lockstep::ops
