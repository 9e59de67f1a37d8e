#include "engine/train/precision.h"

namespace lockstep::train {

at::ScalarType computeType(const config::RuntimeConfig& runtime, const at::Device& device) {
  if (runtime.precision == "bf16") return at::kBFloat16;
  if (runtime.precision == "fp16" && !device.is_cpu()) return at::kHalf;
  return at::kFloat;
}

}  // namespace lockstep::train
