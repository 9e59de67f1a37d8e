#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

/// Random choice without random state: k of n are the k with the smallest hashed keys. Letters: A
/// candidates, K chosen.
namespace lockstep::ops {

/// A choice of fixed size, so that a GPU need not be asked how many there are.
struct Sample {
  at::Tensor indices;  ///< [K] int64
  at::Tensor valid;    ///< [K] bool; where false, `indices` is 0 … A-1 and means nothing

  /// The valid indices in ascending order. Waits for the device.
  at::Tensor compact() const;
};

/// Chooses min(count, A) of the entries of isCandidate [A] bool: those with the smallest
/// counterHash({key, index}), fewer valid ones when there are not so many candidates. The same
/// choice on every device.
Sample sampleSmallestKeys(const at::Tensor& isCandidate, std::int64_t count, std::uint64_t key);

struct BalancedSample {
  Sample positives;
  Sample negatives;
};

struct SampleCounts {
  std::int64_t total = 256;       ///< per image
  double positiveFraction = 0.5;  ///< at most this share is positive; negatives fill the rest
};

/// Positives (labels > 0) and negatives (labels == 0) for a loss; labels < 0 are left out. labels
/// [A] of any type. Keys: one for each kind.
BalancedSample sampleBalanced(const at::Tensor& labels, const SampleCounts& counts,
                              std::uint64_t positiveKey, std::uint64_t negativeKey);

}  // namespace lockstep::ops
