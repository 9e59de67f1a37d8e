#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

#include "engine/ops/box_iou.cuh"
#include "engine/ops/matching_cuda.h"

namespace lockstep::ops {
namespace {

constexpr int kThreads = 256;
constexpr int kWarp = 32;

/// Objects and candidates of all images.
struct Pairs {
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

__device__ unsigned largestOfWarp(unsigned mine) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffU, mine);
#else
  for (int distance = kWarp / 2; distance > 0; distance /= 2)
    mine = max(mine, __shfl_xor_sync(0xffffffffU, mine, distance));
  return mine;
#endif
}

/// For each candidate [N,A] the best object and what that is by the thresholds; for each object
/// [N,G] its best IoU, as the bits of a float that is not negative and starts as 0.
__global__ void bestKernel(Pairs pairs, float foreground, float background, int* nearest,
                           std::int64_t* matches, unsigned* bestOfGt) {
  const int image = static_cast<int>(blockIdx.y),
            i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const bool isThere = i < pairs.count;
  const int gtCount = static_cast<int>(pairs.gtCounts[image]);
  const float4* gts = pairs.gtsOf(image);
  const float4 box = isThere ? pairs.candidate(image, i) : float4{0, 0, 0, 0};
  float best = -1;
  int bestGt = 0;
  for (int g = 0; g < gtCount; ++g) {  // the same for all threads
    const float iou = isThere ? boxIou(gts[g], box) : 0.0f;
    if (iou > best) {
      best = iou;
      bestGt = g;
    }
    const unsigned mine = iou > 0 ? __float_as_uint(iou) : 0U;
    const unsigned ofWarp = largestOfWarp(mine);
    if (ofWarp != 0 && threadIdx.x % kWarp == 0)
      atomicMax(bestOfGt + static_cast<std::int64_t>(image) * pairs.mostGts + g, ofWarp);
  }
  if (!isThere) return;
  const std::int64_t place = static_cast<std::int64_t>(image) * pairs.count + i;
  nearest[place] = bestGt;
  matches[place] = best < background   ? kBelowThreshold
                   : best < foreground ? kBetweenThresholds
                                       : bestGt;
}

/// Gives back their best object to the candidates that reach the best IoU of some object.
__global__ void restoreKernel(Pairs pairs, const int* nearest, const unsigned* bestOfGt,
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

}  // namespace

at::Tensor matchBoxesCuda(const GtBatch& groundTruth, const at::Tensor& candidates,
                          const MatchThresholds& thresholds) {
  const c10::cuda::CUDAGuard guard(candidates.device());
  const at::Tensor gts = groundTruth.boxesXyxy.to(at::kFloat).contiguous();
  const at::Tensor boxes = candidates.to(at::kFloat).contiguous();
  const at::Tensor gtCounts = groundTruth.counts.contiguous();
  const std::int64_t images = gts.size(0), count = boxes.size(-2);
  at::Tensor matches = at::empty({images, count}, gtCounts.options());
  if (matches.numel() == 0) return matches;
  at::Tensor nearest = at::empty({images, count}, gtCounts.options().dtype(at::kInt));
  at::Tensor bestOfGt = at::zeros({images, gts.size(1)}, nearest.options());
  const Pairs pairs{reinterpret_cast<const float4*>(gts.const_data_ptr<float>()),
                    gtCounts.const_data_ptr<std::int64_t>(),
                    static_cast<int>(gts.size(1)),
                    reinterpret_cast<const float4*>(boxes.const_data_ptr<float>()),
                    boxes.dim() == 3 ? count : 0,
                    static_cast<int>(count)};
  const dim3 grid(static_cast<unsigned>((count + kThreads - 1) / kThreads),
                  static_cast<unsigned>(images));
  const auto stream = c10::cuda::getCurrentCUDAStream();
  auto* best = reinterpret_cast<unsigned*>(bestOfGt.data_ptr<int>());
  bestKernel<<<grid, kThreads, 0, stream>>>(
      pairs, static_cast<float>(thresholds.foreground), static_cast<float>(thresholds.background),
      nearest.data_ptr<int>(), matches.data_ptr<std::int64_t>(), best);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  if (!thresholds.lowQualityMatches) return matches;
  restoreKernel<<<grid, kThreads, 0, stream>>>(pairs, nearest.const_data_ptr<int>(), best,
                                               matches.data_ptr<std::int64_t>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return matches;
}

}  // namespace lockstep::ops
