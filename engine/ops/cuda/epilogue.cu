#include <ATen/Dispatch.h>
#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAGuard.h>

#include <cstdint>

#include "engine/ops/cuda/epilogue.cuh"
#include "engine/ops/cuda/launch.cuh"
#include "engine/ops/epilogue.h"

namespace lockstep::ops {
namespace {

template <typename T, typename Bias>
void applyToMap(at::Tensor& map, const Epilogue& epilogue) {
  constexpr int kCount = kPackCount<T>;
  T* values = map.data_ptr<T>();
  const Bias* bias = epilogue.bias ? epilogue.bias->const_data_ptr<Bias>() : nullptr;
  const T* residual = epilogue.residual ? epilogue.residual->const_data_ptr<T>() : nullptr;
  const auto channels = static_cast<int>(map.size(1));
  const bool isPacked = hasPacks(values, channels) && hasPacks(residual, channels);
  const std::int64_t packs = isPacked ? map.numel() / kCount : map.numel();
  launch(isPacked ? epilogueKernel<T, Bias, kCount> : epilogueKernel<T, Bias, 1>,
         epilogueLaunch(packs), values, bias, residual, epilogue.hasRelu, packs, channels);
}

}  // namespace

void cuda::applyEpilogue(at::Tensor& map, const Epilogue& epilogue) {
  const c10::cuda::CUDAGuard guard(map.device());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, map.scalar_type(), "epilogue", [&] {
    const bool isOfMap = epilogue.bias && epilogue.bias->scalar_type() == map.scalar_type();
    isOfMap ? applyToMap<scalar_t, scalar_t>(map, epilogue)
            : applyToMap<scalar_t, float>(map, epilogue);
  });
}

}  // namespace lockstep::ops
