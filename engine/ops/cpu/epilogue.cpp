#include "engine/ops/epilogue.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/ops/cpu/vector_clones.h"
#include "engine/ops/spare_threads.h"

namespace lockstep::ops {
namespace {

/// bias and residual may be null.
template <bool kHasRelu>
[[gnu::always_inline]] inline void applyBody(float* map, const float* bias, const float* residual,
                                             std::int64_t pixels, std::int64_t channels) {
  for (std::int64_t i = 0; i < pixels; ++i, map += channels) {
    if (bias != nullptr)
      for (std::int64_t c = 0; c < channels; ++c) map[c] += bias[c];
    if (residual != nullptr) {
      for (std::int64_t c = 0; c < channels; ++c) map[c] += residual[c];
      residual += channels;
    }
    // Written so that NaN stays.
    if constexpr (kHasRelu)
      for (std::int64_t c = 0; c < channels; ++c) map[c] = map[c] < 0 ? 0 : map[c];
  }
}

LOCKSTEP_VECTOR_CLONES
void applyWithoutRelu(float* map, const float* bias, const float* residual, std::int64_t pixels,
                      std::int64_t channels) {
  applyBody<false>(map, bias, residual, pixels, channels);
}
LOCKSTEP_VECTOR_CLONES
void applyWithRelu(float* map, const float* bias, const float* residual, std::int64_t pixels,
                   std::int64_t channels) {
  applyBody<true>(map, bias, residual, pixels, channels);
}

}  // namespace

void cpu::applyEpilogue(at::Tensor& map, const Epilogue& epilogue) {
  const std::int64_t channels = map.size(1), pixels = map.numel() / channels;
  const at::Tensor bias = epilogue.bias ? epilogue.bias->contiguous() : at::Tensor();
  float* values = map.data_ptr<float>();
  const float* shifts = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
  const float* others = epilogue.residual ? epilogue.residual->const_data_ptr<float>() : nullptr;
  const auto act = epilogue.hasRelu ? applyWithRelu : applyWithoutRelu;
  const cpu::OnSpareThreads threads;
  at::parallel_for(0, pixels, 64, [&](std::int64_t begin, std::int64_t end) {
    act(values + begin * channels, shifts, others == nullptr ? nullptr : others + begin * channels,
        end - begin, channels);
  });
}

}  // namespace lockstep::ops
