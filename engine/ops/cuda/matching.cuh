#pragma once

#include <cmath>
#include <cstdint>

#include "engine/ops/cuda/box_iou.cuh"
#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/match_labels.h"

/// Kernels of matching.cu. Letters: N images, G ground-truth objects of an image, A candidates.
namespace lockstep::ops {

constexpr int kMatchThreads = 256;
constexpr int kMatchWarp = 32;

/// Objects and candidates of all images.
struct MatchPairs {
  const float4* gts;             // [N,G]
  const std::int64_t* gtCounts;  // [N]
  int mostGts;                   // G
  const float4* candidates;      // [N,A], or [A] with a stride of 0
  std::int64_t candidateStride;
  int count;  // A

  __device__ const float4* gtsOf(int image) const {
    return gts + static_cast<std::int64_t>(image) * mostGts;
  }
  __device__ float4 candidate(int image, int i) const {
    return candidates[image * candidateStride + i];
  }
};

inline __device__ unsigned largestOfWarp(unsigned mine) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffU, mine);
#else
  for (int distance = kMatchWarp / 2; distance > 0; distance /= 2)
    mine = max(mine, __shfl_xor_sync(0xffffffffU, mine, distance));
  return mine;
#endif
}

/// For each candidate [N,A] the best object and its match label; for each object [N,G] its best
/// IoU, as the bits of a float that is not negative and starts as 0.
inline __global__ void bestKernel(MatchPairs pairs, float foreground, float background,
                                  int* nearest, std::int64_t* matches, unsigned* bestOfGt) {
  const int image = static_cast<int>(blockIdx.y),
            i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const bool isCandidate = i < pairs.count;
  const int gtCount = static_cast<int>(pairs.gtCounts[image]);
  const float4* gts = pairs.gtsOf(image);
  const float4 box = isCandidate ? pairs.candidate(image, i) : float4{0, 0, 0, 0};
  float best = -1;
  int bestGt = 0;
  for (int g = 0; g < gtCount; ++g) {  // the same for all threads
    const float iou = isCandidate ? boxIou(gts[g], box) : 0.0f;
    if (iou > best) {
      best = iou;
      bestGt = g;
    }
    const unsigned mine = iou > 0 ? __float_as_uint(iou) : 0U;
    const unsigned ofWarp = largestOfWarp(mine);
    if (ofWarp != 0 && threadIdx.x % kMatchWarp == 0)
      atomicMax(bestOfGt + static_cast<std::int64_t>(image) * pairs.mostGts + g, ofWarp);
  }
  if (!isCandidate) return;
  const std::int64_t place = static_cast<std::int64_t>(image) * pairs.count + i;
  nearest[place] = bestGt;
  matches[place] = best < background   ? kBelowThreshold
                   : best < foreground ? kBetweenThresholds
                                       : bestGt;
}

/// Restores low-quality matches: the best object of candidates that reach the best IoU of some
/// object.
inline __global__ void restoreKernel(MatchPairs pairs, const int* nearest, const unsigned* bestOfGt,
                                     std::int64_t* matches) {
  const int image = static_cast<int>(blockIdx.y),
            i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= pairs.count) return;
  const int gtCount = static_cast<int>(pairs.gtCounts[image]);
  const float4* gts = pairs.gtsOf(image);
  const float4 box = pairs.candidate(image, i);
  for (int g = 0; g < gtCount; ++g) {
    const unsigned best = bestOfGt[static_cast<std::int64_t>(image) * pairs.mostGts + g];
    if (boxIou(gts[g], box) != __uint_as_float(best)) continue;
    const std::int64_t place = static_cast<std::int64_t>(image) * pairs.count + i;
    matches[place] = nearest[place];
    return;
  }
}

/// For both kernels.
inline Launch matchLaunch(const MatchPairs& pairs, std::int64_t images) {
  return {blocksFor(pairs.count, kMatchThreads), static_cast<unsigned>(images), 1, kMatchThreads};
}

}  // namespace lockstep::ops
