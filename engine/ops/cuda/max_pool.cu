#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>

#include "engine/ops/cuda/max_pool.cuh"
#include "engine/ops/max_pool.h"

namespace lockstep::ops {
namespace {

constexpr int kPoolThreads = 256;

/// Blocks for `rows` of so many pixels, kCount channels a thread.
template <int kCount>
dim3 gridOf(std::int64_t rows, std::int64_t width, std::int64_t channels) {
  const std::int64_t items = width * (channels / kCount);
  return {static_cast<unsigned>(rows),
          static_cast<unsigned>((items + kPoolThreads - 1) / kPoolThreads), 1};
}

template <typename T, int kCount>
void launchPool(const T* x, const PoolSize& size, T* out, std::uint8_t* argmax) {
  const dim3 grid = gridOf<kCount>(size.images * size.outHeight, size.outWidth, size.channels);
  maxPoolKernel<T, kCount>
      <<<grid, kPoolThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(size, x, out, argmax);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

template <typename T, int kCount>
void launchPoolBackward(const T* gradOut, const std::uint8_t* argmax, const PoolSize& size,
                        T* gradIn) {
  const dim3 grid = gridOf<kCount>(size.images * size.height, size.width, size.channels);
  maxPoolBackwardKernel<T, kCount>
      <<<grid, kPoolThreads, 0, c10::cuda::getCurrentCUDAStream()>>>(size, gradOut, argmax, gradIn);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

}  // namespace

void cuda::maxPool(const at::Tensor& x, at::Tensor& out, at::Tensor& argmax) {
  const PoolSize size(x.size(0), x.size(1), x.size(2), x.size(3));
  const c10::cuda::CUDAGuard guard(x.device());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "max_pool", [&] {
    const auto* from = x.const_data_ptr<scalar_t>();
    const auto run = hasPacks(from, size.channels) ? launchPool<scalar_t, kPackCount<scalar_t>>
                                                   : launchPool<scalar_t, 1>;
    run(from, size, out.data_ptr<scalar_t>(), argmax.data_ptr<std::uint8_t>());
  });
}

void cuda::maxPoolBackward(const at::Tensor& gradOut, const at::Tensor& argmax,
                           at::Tensor& gradIn) {
  const PoolSize size(gradIn.size(0), gradIn.size(1), gradIn.size(2), gradIn.size(3));
  const c10::cuda::CUDAGuard guard(gradOut.device());
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, gradOut.scalar_type(), "max_pool_backward", [&] {
        const auto* from = gradOut.const_data_ptr<scalar_t>();
        const auto run = hasPacks(from, size.channels)
                             ? launchPoolBackward<scalar_t, kPackCount<scalar_t>>
                             : launchPoolBackward<scalar_t, 1>;
        run(from, argmax.const_data_ptr<std::uint8_t>(), size, gradIn.data_ptr<scalar_t>());
      });
}

}  // namespace lockstep::ops
