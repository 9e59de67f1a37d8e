#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>
#include <limits>

#include "engine/ops/box_iou.cuh"
#include "engine/ops/nms_cuda.h"

namespace lockstep::ops {
namespace {

using Word = unsigned long long;
constexpr int kBits = 64;  // boxes whose suppression one word of the mask holds
constexpr int kThreads = 256;

/// The candidates of all images, each image's best score first; those that are not there last.
struct Sorted {
  const float4* boxes;         // [N,A]
  const std::int64_t* groups;  // [N,A]
  const std::int64_t* counts;  // [N], of those that are there
  int size;                    // A
  __host__ __device__ int words() const { return (size + kBits - 1) / kBits; }
};

/// mask [N,A,words]: bit j of row i says that box j comes after box i, is of its group and overlaps
/// it too much. A block has 64 rows and 64 columns of an image; blocks below the diagonal and
/// beyond the count have nothing to say and are not read.
__global__ void overlapKernel(Sorted all, float threshold, Word* mask) {
  const int image = static_cast<int>(blockIdx.z), count = static_cast<int>(all.counts[image]);
  const int firstRow = static_cast<int>(blockIdx.y) * kBits,
            firstColumn = static_cast<int>(blockIdx.x) * kBits;
  if (blockIdx.x < blockIdx.y || firstRow >= count || firstColumn >= count) return;
  const float4* boxes = all.boxes + static_cast<std::int64_t>(image) * all.size;
  const std::int64_t* groups = all.groups + static_cast<std::int64_t>(image) * all.size;
  __shared__ float4 columns[kBits];
  __shared__ std::int64_t columnGroups[kBits];
  const int thread = static_cast<int>(threadIdx.x);
  if (firstColumn + thread < count) {
    columns[thread] = boxes[firstColumn + thread];
    columnGroups[thread] = groups[firstColumn + thread];
  }
  __syncthreads();
  const int row = firstRow + thread;
  if (row >= count) return;
  const float4 own = boxes[row];
  const std::int64_t group = groups[row];
  Word bits = 0;
  for (int i = 0; i < kBits && firstColumn + i < count; ++i) {
    const bool isLater = firstColumn + i > row;
    if (isLater && columnGroups[i] == group && boxIou(own, columns[i]) > threshold)
      bits |= Word{1} << i;
  }
  mask[(static_cast<std::int64_t>(image) * all.size + row) * all.words() + blockIdx.x] = bits;
}

/// One block an image. Takes 64 boxes at a time: one thread settles these among themselves, then
/// all threads share the later words of what the kept ones suppress. isKept [N,A] starts as false.
__global__ void keepKernel(Sorted all, const Word* mask, int most, bool* isKept) {
  extern __shared__ Word suppressed[];
  __shared__ Word kept;
  const int image = static_cast<int>(blockIdx.x), count = static_cast<int>(all.counts[image]);
  const int words = all.words();
  const Word* rows = mask + static_cast<std::int64_t>(image) * all.size * words;
  bool* out = isKept + static_cast<std::int64_t>(image) * all.size;
  for (int word = threadIdx.x; word < words; word += blockDim.x) suppressed[word] = 0;
  int keptCount = 0;  // the same in every thread
  __syncthreads();
  for (int word = 0; word * kBits < count && keptCount < most; ++word) {
    const int size = min(kBits, count - word * kBits);
    if (threadIdx.x == 0) {
      Word gone = suppressed[word], stays = 0;
      for (int i = 0; i < size && keptCount + __popcll(stays) < most; ++i) {
        if (gone >> i & 1) continue;
        stays |= Word{1} << i;
        gone |= rows[static_cast<std::int64_t>(word * kBits + i) * words + word];
      }
      kept = stays;
    }
    __syncthreads();
    keptCount += __popcll(kept);
    if (threadIdx.x < size) out[word * kBits + threadIdx.x] = kept >> threadIdx.x & 1;
    for (int later = word + 1 + threadIdx.x; later * kBits < count; later += blockDim.x) {
      Word gone = suppressed[later];
      for (Word left = kept; left != 0; left &= left - 1) {
        const int i = __ffsll(static_cast<long long>(left)) - 1;
        gone |= rows[static_cast<std::int64_t>(word * kBits + i) * words + later];
      }
      suppressed[later] = gone;
    }
    __syncthreads();
  }
}

}  // namespace

Selection selectByNmsCuda(const NmsCandidates& candidates, double iouThreshold, std::int64_t most) {
  const at::Tensor& scores = candidates.scores;
  const c10::cuda::CUDAGuard guard(scores.device());
  const std::int64_t images = scores.size(0), size = scores.size(1);
  if (images == 0 || size == 0) {
    return {at::zeros({images, 0}, scores.options().dtype(at::kLong)),
            at::zeros({images, 0}, scores.options().dtype(at::kBool))};
  }
  const at::Tensor ranked =
      scores.detach()
          .to(at::kFloat)
          .masked_fill(candidates.valid.logical_not(), -std::numeric_limits<float>::infinity());
  const at::Tensor order = std::get<1>(ranked.sort(/*stable=*/true, 1, /*descending=*/true));
  const at::Tensor boxes = pick(candidates.boxesXyxy.detach().to(at::kFloat), order).contiguous();
  const at::Tensor groups = candidates.groups.gather(1, order).contiguous();
  const at::Tensor counts = candidates.valid.sum(1);
  const Sorted all{reinterpret_cast<const float4*>(boxes.const_data_ptr<float>()),
                   groups.const_data_ptr<std::int64_t>(), counts.const_data_ptr<std::int64_t>(),
                   static_cast<int>(size)};
  at::Tensor mask = at::empty({images, size, all.words()}, order.options());
  at::Tensor isKept = at::zeros({images, size}, candidates.valid.options());
  auto* bits = reinterpret_cast<Word*>(mask.data_ptr<std::int64_t>());
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const auto words = static_cast<unsigned>(all.words()), count = static_cast<unsigned>(images);
  // The CPU compares with the threshold in double: this is the largest float32 up to it.
  overlapKernel<<<dim3(words, words, count), kBits, 0, stream>>>(
      all, largestFloatUpTo(iouThreshold), bits);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  keepKernel<<<count, kThreads, words * sizeof(Word), stream>>>(
      all, bits, static_cast<int>(std::min(most, size)), isKept.data_ptr<bool>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  const Selection kept = selectFirst(isKept, most);
  return {order.gather(1, kept.indices), kept.valid};
}

}  // namespace lockstep::ops
