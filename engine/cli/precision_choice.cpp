#include "engine/cli/precision_choice.h"

#include <algorithm>

#include "engine/base/host.h"

namespace lockstep::cli {
namespace {

using config::Precision;

/// Ampere: the first GPUs whose tensor cores support bfloat16.
constexpr int kFirstCapability = 80;

PrecisionChoice chooseForProcessor() {
  const std::string instructions = base::bfloat16Instructions();
  if (instructions.empty())
    return {Precision::Fp32, "this processor has neither AVX512_BF16 nor AMX"};
  return {Precision::Bf16, "this processor has " + instructions};
}

PrecisionChoice chooseForGpus(const std::vector<supervisor::GpuDevice>& devices) {
  const auto& least = *std::ranges::min_element(
      devices, {}, [](const supervisor::GpuDevice& gpu) { return gpu.computeCapability; });
  return {least.computeCapability >= kFirstCapability ? Precision::Bf16 : Precision::Fp32,
          supervisor::gpuName(least) + " has compute capability " +
              supervisor::capabilityText(least.computeCapability)};
}

}  // namespace

PrecisionChoice choosePrecision(const config::RuntimeConfig& runtime,
                                const std::vector<supervisor::GpuDevice>& devices) {
  if (runtime.precision) return {*runtime.precision, ""};
  if (!devices.empty()) return chooseForGpus(devices);
  if (runtime.device == config::Device::Cuda)
    return {Precision::Fp32, "the compute capability of the GPUs is unknown"};
  return chooseForProcessor();
}

}  // namespace lockstep::cli
