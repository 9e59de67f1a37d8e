#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdint>

#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/cuda/mask_targets.cuh"
#include "engine/ops/mask_targets.h"

namespace lockstep::ops {
namespace {

/// Of a block, without asking for more.
constexpr std::size_t kSharedBytes = 48 * 1024;

void allowSharedBytes(std::size_t bytes) {
  int most = 0, device = 0;
  C10_CUDA_CHECK(cudaGetDevice(&device));
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  TORCH_CHECK(bytes <= static_cast<std::size_t>(most), "mask targets: images this large take ",
              bytes, " bytes of shared memory, more than this GPU gives a block");
  C10_CUDA_CHECK(cudaFuncSetAttribute(targetKernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(bytes)));
}

}  // namespace

at::Tensor cuda::maskTargets(const structures::GtMasks& masks, const MaskRegions& regions,
                             std::int64_t side) {
  const at::Tensor boxes = regions.boxesXyxy.contiguous();
  const at::Tensor images = regions.images.contiguous(), objects = regions.objects.contiguous();
  const c10::cuda::CUDAGuard guard(boxes.device());
  at::Tensor out = at::zeros({boxes.size(0), side, side}, boxes.options());
  if (out.numel() == 0) return out;
  const MaskTable maskTable{
      masks.pixels.const_data_ptr<std::uint8_t>(),
      reinterpret_cast<const structures::MaskWindow*>(masks.windows.const_data_ptr<std::int64_t>()),
      masks.sizes.const_data_ptr<std::int64_t>(), masks.mostObjects()};
  const RegionTable table{boxes.const_data_ptr<float>(), images.const_data_ptr<std::int64_t>(),
                          objects.const_data_ptr<std::int64_t>(), static_cast<int>(side)};
  const int stride = targetStride(masks.longestSide, side);
  const Launch how = targetLaunch(boxes.size(0), table.side, stride);
  if (how.sharedBytes > kSharedBytes) allowSharedBytes(how.sharedBytes);
  launch(targetKernel, how, maskTable, table, stride, out.data_ptr<float>());
  return out;
}

}  // namespace lockstep::ops
