#include "engine/train/precision.h"

#include <c10/util/Exception.h>

namespace lockstep::train {

at::ScalarType computeType(const config::RuntimeConfig& runtime, const at::Device& device) {
  TORCH_CHECK(runtime.precision != "auto", "runtime.precision: auto is still to be resolved");
  if (runtime.precision == "bf16") return at::kBFloat16;
  if (runtime.precision == "fp16" && !device.is_cpu()) return at::kHalf;
  return at::kFloat;
}

}  // namespace lockstep::train
