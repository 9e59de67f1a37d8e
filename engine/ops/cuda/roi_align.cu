#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/cuda/roi_align.cuh"
#include "engine/ops/roi_align.h"

namespace lockstep::ops {
namespace {

struct LevelSize {
  std::int64_t channels, height, width;
};

RoiLevel describe(std::size_t index, const LevelSize& size, double scale, const RoiSet& set) {
  const RoiAlignShape& shape = set.shape;
  return {set.rois.const_data_ptr<float>(),
          set.levels.const_data_ptr<std::int64_t>(),
          set.rois.size(0),
          static_cast<int>(index),
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
void launchRoiAlign(const at::Tensor& map, const RoiLevel& level, at::Tensor& out) {
  constexpr int kCount = kPackCount<T>;
  const MapStrides strides{map.stride(0), map.stride(2), map.stride(3)};
  const T* features = map.const_data_ptr<T>();
  T* pooled = out.data_ptr<T>();
  const bool isPacked = hasPacks(features, level.channels) && hasPacks(pooled, level.channels);
  launch(isPacked ? roiAlignKernel<T, kCount> : roiAlignKernel<T, 1>, roiAlignLaunch(level),
         features, strides, level, pooled);
}

/// The tensors behind RegionLists.
struct ListTensors {
  at::Tensor order, first;
  int levelCount;

  ListTensors(const RoiSet& set, std::int64_t images, std::size_t levels)
      : levelCount(static_cast<int>(levels)) {
    const at::Tensor list =
        (set.rois.select(1, 0).to(at::kLong) * levelCount + set.levels)
            .masked_fill(set.levels == kNoLevel, images * levelCount);  // after the last
    at::Tensor sorted;
    std::tie(sorted, order) = list.sort(/*stable=*/true, 0, /*descending=*/false);
    first = at::searchsorted(sorted, at::arange(images * levelCount + 1, sorted.options()));
  }

  RegionLists lists() const {
    return {order.const_data_ptr<std::int64_t>(), first.const_data_ptr<std::int64_t>(), levelCount};
  }
};

/// What comes back to a set, and the lists of its regions.
struct Returned {
  RoiSet set;
  at::Tensor grad;  // [K,height,width,C]
  ListTensors lists;

  Returned(const RoiSetGrad& of, std::int64_t images, std::size_t levels)
      : set(of.set),
        grad(of.gradOut.permute({0, 2, 3, 1}).contiguous()),
        lists(of.set, images, levels) {}
};

template <typename T>
void launchRoiAlignBackward(const std::vector<Returned>& sets, std::size_t index,
                            const LevelSize& size, double scale, at::Tensor& gradIn) {
  GradOfSets<T> all{};
  for (const Returned& each : sets) {
    all.sets[all.count++] = {describe(index, size, scale, each.set), each.lists.lists(),
                             each.grad.const_data_ptr<T>()};
  }
  launch(roiAlignBackwardKernel<T>, roiAlignBackwardLaunch(all, gradIn.size(0)), all,
         gradIn.data_ptr<T>());
}

at::Tensor poolSet(at::TensorList features, const std::vector<double>& spatialScales,
                   const RoiSet& set) {
  at::Tensor out =
      at::zeros({set.rois.size(0), set.shape.height, set.shape.width, features[0].size(1)},
                features[0].options());
  if (out.numel() == 0) return out.permute({0, 3, 1, 2});
  for (std::size_t i = 0; i < features.size(); ++i) {
    const at::Tensor map = features[i].contiguous(at::MemoryFormat::ChannelsLast);
    const RoiLevel level =
        describe(i, {map.size(1), map.size(2), map.size(3)}, spatialScales[i], set);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, map.scalar_type(),
                                    "roi_align_forward",
                                    [&] { launchRoiAlign<scalar_t>(map, level, out); });
  }
  return out.permute({0, 3, 1, 2});
}

static_assert(kMostGradSets == kMostRoiSets);

}  // namespace

std::vector<at::Tensor> cuda::roiAlign(at::TensorList features,
                                       const std::vector<double>& spatialScales,
                                       const std::vector<RoiSet>& sets) {
  const c10::cuda::CUDAGuard guard(features[0].device());
  std::vector<at::Tensor> pooled;
  for (const RoiSet& set : sets) pooled.push_back(poolSet(features, spatialScales, set));
  return pooled;
}

std::vector<at::Tensor> cuda::roiAlignBackward(
    const std::vector<RoiSetGrad>& sets, const std::vector<double>& spatialScales,
    const std::vector<std::vector<std::int64_t>>& sizes) {
  const at::TensorOptions options = sets.front().gradOut.options();
  const c10::cuda::CUDAGuard guard(options.device());
  std::vector<Returned> returned;
  for (const RoiSetGrad& each : sets) returned.emplace_back(each, sizes[0][0], sizes.size());
  std::vector<at::Tensor> grads;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t images = sizes[i][0], channels = sizes[i][1], height = sizes[i][2],
                       width = sizes[i][3];
    at::Tensor gradIn = at::empty({images, height, width, channels}, options);
    AT_DISPATCH_FLOATING_TYPES_AND2(
        at::kHalf, at::kBFloat16, gradIn.scalar_type(), "roi_align_backward", [&] {
          launchRoiAlignBackward<scalar_t>(returned, i, {channels, height, width}, spatialScales[i],
                                           gradIn);
        });
    grads.push_back(gradIn.permute({0, 3, 1, 2}));
  }
  return grads;
}

}  // namespace lockstep::ops
