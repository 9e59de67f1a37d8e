#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/supervisor/nvml.h"

namespace lockstep::supervisor {

struct GpuDevice {
  int index = 0;  ///< as the driver counts
  std::string name;
  std::string uuid;
  std::int64_t memoryBytes = 0;
  std::int64_t freeBytes = 0;
  int computeCapability = 0;  ///< 90 for 9.0; 0: unknown
};

struct Gpus {
  std::string driverVersion;       ///< empty: no driver
  std::vector<GpuDevice> devices;  ///< those that CUDA_VISIBLE_DEVICES leaves, in its order
  int cudaVersion = 0;             ///< that the driver serves, 13000 for 13.0; 0: unknown
  std::string fault{};             ///< why an installed driver does not answer
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

/// Why the worker can use none of a machine's GPUs, and the way out; "" when it can use one. What
/// is in the way of all of them comes before what each one lacks. Part of a line, to stand behind a
/// colon or between brackets. Where there is no GPU `support` does not matter.
std::string whyNoneUsable(const Gpus& gpus, const GpuSupport& support);
/// Why it cannot use this one, in the same form; "" where nothing is known against it.
std::string whyUnusable(const GpuDevice& gpu, const GpuSupport& support);

/// `GPU 1 (NVIDIA H200)`
std::string gpuName(const GpuDevice& gpu);
/// `13.0` of 13000.
std::string cudaVersionText(int version);
/// `9.0`, or `unknown`
std::string capabilityText(int capability);

}  // namespace lockstep::supervisor
