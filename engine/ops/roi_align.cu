#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "engine/ops/cuda_launch.h"
#include "engine/ops/roi_align_cuda.h"
#include "engine/ops/roi_align_kernels.cuh"

namespace lockstep::ops {
namespace {

struct LevelSize {
  std::int64_t channels, height, width;
};

RoiLevel describe(int index, const LevelSize& size, double scale, const at::Tensor& rois,
                  const at::Tensor& levels, const RoiAlignShape& shape) {
  return {rois.const_data_ptr<float>(),
          levels.const_data_ptr<std::int64_t>(),
          rois.size(0),
          index,
          static_cast<int>(size.channels),
          static_cast<int>(size.height),
          static_cast<int>(size.width),
          static_cast<float>(scale),
          static_cast<int>(shape.height),
          static_cast<int>(shape.width),
          static_cast<int>(shape.samplingRatio)};
}

/// In packs where the maps allow it.
template <typename T>
void launchPool(const at::Tensor& map, const RoiLevel& level, at::Tensor& out) {
  constexpr int kCount = kPackCount<T>;
  const MapStrides strides{map.stride(0), map.stride(2), map.stride(3)};
  const T* features = map.const_data_ptr<T>();
  T* pooled = out.data_ptr<T>();
  const bool isPacked = hasPacks(features, level.channels) && hasPacks(pooled, level.channels);
  launch(isPacked ? poolKernel<T, kCount> : poolKernel<T, 1>, poolLaunch(level), features, strides,
         level, pooled);
}

/// The tensors behind RegionLists.
struct ListTensors {
  at::Tensor order, first;

  ListTensors(const at::Tensor& rois, const at::Tensor& levels, std::int64_t images,
              std::int64_t levelCount) {
    const at::Tensor list =
        (rois.select(1, 0).to(at::kLong) * levelCount + levels)
            .masked_fill(levels == kNoLevel, images * levelCount);  // after the last
    at::Tensor sorted;
    std::tie(sorted, order) = list.sort(/*stable=*/true, 0, /*descending=*/false);
    first = at::searchsorted(sorted, at::arange(images * levelCount + 1, sorted.options()));
  }
};

}  // namespace

at::Tensor roiAlignForwardCuda(at::TensorList features, const at::Tensor& rois,
                               const at::Tensor& levels, const std::vector<double>& spatialScales,
                               const RoiAlignShape& shape) {
  const c10::cuda::CUDAGuard guard(rois.device());
  at::Tensor out = at::zeros({rois.size(0), shape.height, shape.width, features[0].size(1)},
                             features[0].options());
  if (out.numel() == 0) return out.permute({0, 3, 1, 2});
  for (std::size_t i = 0; i < features.size(); ++i) {
    const at::Tensor map = features[i].contiguous(at::MemoryFormat::ChannelsLast);
    const RoiLevel level = describe(static_cast<int>(i), {map.size(1), map.size(2), map.size(3)},
                                    spatialScales[i], rois, levels, shape);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, map.scalar_type(),
                                    "roi_align_forward",
                                    [&] { launchPool<scalar_t>(map, level, out); });
  }
  return out.permute({0, 3, 1, 2});
}

std::vector<at::Tensor> roiAlignBackwardCuda(const at::Tensor& gradOut,
                                             const std::vector<std::vector<std::int64_t>>& sizes,
                                             const at::Tensor& rois, const at::Tensor& levels,
                                             const std::vector<double>& spatialScales,
                                             const RoiAlignShape& shape) {
  const c10::cuda::CUDAGuard guard(rois.device());
  const at::Tensor grad = gradOut.permute({0, 2, 3, 1}).contiguous();
  const auto levelCount = static_cast<std::int64_t>(sizes.size());
  const ListTensors tensors(rois, levels, sizes[0][0], levelCount);
  const RegionLists lists{tensors.order.const_data_ptr<std::int64_t>(),
                          tensors.first.const_data_ptr<std::int64_t>(),
                          static_cast<int>(levelCount)};
  std::vector<at::Tensor> grads;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t images = sizes[i][0], channels = sizes[i][1], height = sizes[i][2],
                       width = sizes[i][3];
    at::Tensor gradIn = at::empty({images, height, width, channels}, grad.options());
    const RoiLevel level = describe(static_cast<int>(i), {channels, height, width},
                                    spatialScales[i], rois, levels, shape);
    AT_DISPATCH_FLOATING_TYPES_AND2(
        at::kHalf, at::kBFloat16, grad.scalar_type(), "roi_align_backward", [&] {
          launch(spreadKernel<scalar_t>, spreadLaunch(level, images),
                 grad.const_data_ptr<scalar_t>(), level, lists, gradIn.data_ptr<scalar_t>());
        });
    grads.push_back(gradIn.permute({0, 3, 1, 2}));
  }
  return grads;
}

}  // namespace lockstep::ops
