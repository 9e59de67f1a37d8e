#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

#include "engine/ops/nms_cuda.h"

namespace lockstep::ops {
namespace {

constexpr int kBits = 64;  // boxes whose suppression one word of the mask holds

/// Rounded after every operation, as on the CPU, so that both decide alike at the threshold.
__device__ float iou(const float* a, const float* b) {
  const float width = fmaxf(__fsub_rn(fminf(a[2], b[2]), fmaxf(a[0], b[0])), 0.0f);
  const float height = fmaxf(__fsub_rn(fminf(a[3], b[3]), fmaxf(a[1], b[1])), 0.0f);
  const float intersection = __fmul_rn(width, height);
  const float areaA = __fmul_rn(__fsub_rn(a[2], a[0]), __fsub_rn(a[3], a[1]));
  const float areaB = __fmul_rn(__fsub_rn(b[2], b[0]), __fsub_rn(b[3], b[1]));
  return __fdiv_rn(intersection, __fsub_rn(__fadd_rn(areaA, areaB), intersection));
}

/// mask[i] bit j: box j comes after box i, is of its group and overlaps it too much. Boxes are best
/// score first.
__global__ void overlapKernel(const float* boxes, const std::int64_t* groups, int count,
                              float threshold, unsigned long long* mask) {
  const int words = (count + kBits - 1) / kBits;
  const int row = static_cast<int>(blockIdx.y) * kBits + static_cast<int>(threadIdx.x);
  const int firstColumn = static_cast<int>(blockIdx.x) * kBits;
  if (row >= count) return;
  unsigned long long bits = 0;
  for (int i = 0; i < kBits && firstColumn + i < count; ++i) {
    const int column = firstColumn + i;
    if (column > row && groups[column] == groups[row] &&
        iou(boxes + 4 * row, boxes + 4 * column) > threshold) {
      bits |= 1ULL << i;
    }
  }
  mask[static_cast<std::int64_t>(row) * words + blockIdx.x] = bits;
}

/// One block goes through the boxes in order; its threads share the words of what is suppressed so
/// far.
__global__ void keepKernel(const unsigned long long* mask, int count, bool* isKept) {
  extern __shared__ unsigned long long suppressed[];
  const int words = (count + kBits - 1) / kBits;
  for (int word = threadIdx.x; word < words; word += blockDim.x) suppressed[word] = 0;
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    const bool isFree = !(suppressed[i / kBits] >> (i % kBits) & 1ULL);
    if (isFree) {
      for (int word = threadIdx.x; word < words; word += blockDim.x) {
        suppressed[word] |= mask[static_cast<std::int64_t>(i) * words + word];
      }
    }
    if (threadIdx.x == 0) isKept[i] = isFree;
    __syncthreads();
  }
}

}  // namespace

at::Tensor batchedNmsCuda(const at::Tensor& boxes, const at::Tensor& scores,
                          const at::Tensor& groups, double iouThreshold) {
  const c10::cuda::CUDAGuard guard(boxes.device());
  const auto count = static_cast<int>(boxes.size(0));
  if (count == 0) return at::empty({0}, groups.options());
  const at::Tensor order = std::get<1>(scores.sort(/*stable=*/true, 0, /*descending=*/true));
  const at::Tensor sortedBoxes = boxes.index_select(0, order).contiguous();
  const at::Tensor sortedGroups = groups.index_select(0, order).contiguous();
  const int words = (count + kBits - 1) / kBits;
  at::Tensor mask = at::empty({count, words}, groups.options());
  at::Tensor isKept = at::empty({count}, groups.options().dtype(at::kBool));
  auto* bits = reinterpret_cast<unsigned long long*>(mask.data_ptr<std::int64_t>());
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const auto blocks = static_cast<unsigned>(words);
  overlapKernel<<<dim3(blocks, blocks), kBits, 0, stream>>>(
      sortedBoxes.const_data_ptr<float>(), sortedGroups.const_data_ptr<std::int64_t>(), count,
      static_cast<float>(iouThreshold), bits);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  keepKernel<<<1, 256, words * sizeof(unsigned long long), stream>>>(bits, count,
                                                                     isKept.data_ptr<bool>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return order.masked_select(isKept);
}

}  // namespace lockstep::ops
