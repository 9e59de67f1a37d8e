#include "engine/train/precision.h"

#include <c10/util/Exception.h>

namespace lockstep::train {

at::ScalarType computeType(const config::RuntimeConfig& runtime, const at::Device& device) {
  using config::Precision;
  TORCH_CHECK(runtime.precision, "runtime.precision: auto is not resolved");
  if (runtime.precision == Precision::Bf16) return at::kBFloat16;
  if (runtime.precision == Precision::Fp16 && !device.is_cpu()) return at::kHalf;
  return at::kFloat;
}

}  // namespace lockstep::train
