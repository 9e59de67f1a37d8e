#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::supervisor {

struct GpuDevice {
  int index = 0;  ///< as the driver counts
  std::string name;
  std::string uuid;
  std::int64_t memoryBytes = 0;
  std::int64_t freeBytes = 0;
};

struct Gpus {
  std::string driverVersion;       ///< empty: no driver
  std::vector<GpuDevice> devices;  ///< those that CUDA_VISIBLE_DEVICES leaves, in its order
};

/// The GPUs that NVML names; none where there is no driver. NVML is opened for the call and closed
/// again.
Gpus findGpus();

/// What CUDA makes of CUDA_VISIBLE_DEVICES: indices or (beginnings of) UUIDs, up to the first one
/// that names no device.
std::vector<GpuDevice> visibleDevices(const std::vector<GpuDevice>& devices,
                                      const std::string& visible);

}  // namespace lockstep::supervisor
