#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/supervisor/nvml.h"

namespace lockstep::supervisor {

struct GpuDevice {
  int index = 0;  ///< NVML's index
  std::string name;
  std::string uuid;
  std::int64_t memoryBytes = 0;
  std::int64_t freeBytes = 0;
  int computeCapability = 0;  ///< 90 for 9.0; 0: unknown
};

struct Gpus {
  std::string driverVersion;       ///< empty: no driver
  std::vector<GpuDevice> devices;  ///< those that CUDA_VISIBLE_DEVICES makes visible, in its order
  int cudaVersion = 0;             ///< that the driver supports, 13000 for 13.0; 0: unknown
  std::string error{};             ///< why an installed driver does not answer
};

/// The GPUs that NVML names; none where there is no driver. NVML is opened for the call and closed
/// again.
Gpus findGpus(const char* library = Nvml::kLibrary);

/// Resolves CUDA_VISIBLE_DEVICES as CUDA does: indices or (prefixes of) UUIDs, up to the first
/// entry that names no device.
std::vector<GpuDevice> visibleDevices(const std::vector<GpuDevice>& devices,
                                      const std::string& visible);

/// What lockstep-worker can do with GPUs.
struct GpuSupport {
  bool hasKernels = false;  ///< whether its build has any for GPUs
  /// Their architectures as in CMAKE_CUDA_ARCHITECTURES, separated by blanks: `80-real 90`.
  std::string architectures{};
  int usableCount = 0;  ///< how many of this machine's its LibTorch finds
};

/// Why the worker can use no GPU of this machine, and the remedy; "" if it can use one. Reasons
/// that concern all GPUs come first. A clause, for after a colon or in brackets. If there is no
/// GPU, `support` does not matter.
std::string whyNoneUsable(const Gpus& gpus, const GpuSupport& support);
/// The same for one GPU; "": usable.
std::string whyUnusable(const GpuDevice& gpu, const GpuSupport& support);

/// `GPU 1 (NVIDIA H200)`
std::string gpuName(const GpuDevice& gpu);
/// `13.0` of 13000.
std::string cudaVersionText(int version);
/// `9.0`, or `unknown`
std::string capabilityText(int capability);

}  // namespace lockstep::supervisor
