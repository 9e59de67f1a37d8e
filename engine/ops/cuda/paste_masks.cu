#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

#include "engine/ops/cuda/paste_masks.cuh"
#include "engine/ops/paste_masks.h"

namespace lockstep::ops {
namespace {

constexpr int kPasteThreads = 128;

/// changes: where the pixels of the mask change.
MaskRuns runsBetween(const int* changes, std::int64_t count, std::int64_t pixels) {
  MaskRuns runs;
  runs.reserve(static_cast<std::size_t>(count) + 1);
  std::int64_t from = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    runs.push_back(static_cast<std::uint32_t>(changes[i] - from));
    from = changes[i];
  }
  runs.push_back(static_cast<std::uint32_t>(pixels - from));
  return runs;
}

}  // namespace

std::vector<MaskRuns> cuda::pasteMasks(const at::Tensor& probs, const at::Tensor& boxesXyxy,
                                       const base::ImageSize& size) {
  const c10::cuda::CUDAGuard guard(probs.device());
  const std::int64_t detections = probs.size(0), side = probs.size(1);
  if (detections == 0) return {};
  const PasteJob job{probs.const_data_ptr<float>(), boxesXyxy.const_data_ptr<float>(),
                     static_cast<int>(side),        pasteGrowth(side),
                     static_cast<int>(size.height), static_cast<int>(size.width)};
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const dim3 grid(static_cast<unsigned>((size.width + kPasteThreads - 1) / kPasteThreads),
                  static_cast<unsigned>(detections));
  at::Tensor counts = at::empty({detections, size.width}, probs.options().dtype(at::kInt));
  countChangesKernel<<<grid, kPasteThreads, 0, stream>>>(job, counts.data_ptr<int>());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  const at::Tensor ends = counts.flatten().cumsum(0);  // int64
  const at::Tensor endOfMask = ends.view({detections, size.width}).select(1, -1).contiguous().cpu();
  const std::int64_t* end = endOfMask.const_data_ptr<std::int64_t>();
  at::Tensor changes = at::empty({end[detections - 1]}, counts.options());
  if (changes.numel() > 0) {
    writeChangesKernel<<<grid, kPasteThreads, 0, stream>>>(job, counts.const_data_ptr<int>(),
                                                           ends.const_data_ptr<std::int64_t>(),
                                                           changes.data_ptr<int>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }
  const at::Tensor there = changes.cpu();
  std::vector<MaskRuns> masks;
  for (std::int64_t d = 0, begin = 0; d < detections; begin = end[d++]) {
    masks.push_back(
        runsBetween(there.const_data_ptr<int>() + begin, end[d] - begin, size.height * size.width));
  }
  return masks;
}

}  // namespace lockstep::ops
