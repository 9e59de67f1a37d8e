#include "engine/supervisor/devices.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>

namespace lockstep::supervisor {
namespace {

/// The few functions of NVML (nvml.h, version 2 of the API) in use, found at run time.
class Nvml {
 public:
  Nvml() : library_(::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    if (library_ == nullptr) return;
    const auto initialise = find<int()>("nvmlInit_v2");
    usable_ = initialise != nullptr && initialise() == 0;
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml() {
    if (library_ == nullptr) return;
    const auto end = find<int()>("nvmlShutdown");
    if (usable_ && end != nullptr) end();
    ::dlclose(library_);
  }
  bool isUsable() const { return usable_; }

  std::string driverVersion() const {
    std::array<char, 96> text{};
    const auto call = find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
    return call != nullptr && call(text.data(), text.size() - 1) == 0 ? text.data() : "unknown";
  }
  unsigned count() const {
    unsigned devices = 0;
    const auto call = find<int(unsigned*)>("nvmlDeviceGetCount_v2");
    return call != nullptr && call(&devices) == 0 ? devices : 0;
  }
  bool read(unsigned index, GpuDevice& device) const {
    void* handle = nullptr;
    const auto open = find<int(unsigned, void**)>("nvmlDeviceGetHandleByIndex_v2");
    if (open == nullptr || open(index, &handle) != 0) return false;
    device.index = static_cast<int>(index);
    device.name = text(handle, "nvmlDeviceGetName");
    device.uuid = text(handle, "nvmlDeviceGetUUID");
    struct {
      unsigned long long total, free, used;
    } memory{};
    const auto memoryInfo = find<int(void*, void*)>("nvmlDeviceGetMemoryInfo");
    if (memoryInfo != nullptr && memoryInfo(handle, &memory) == 0) {
      device.memoryBytes = static_cast<std::int64_t>(memory.total);
      device.freeBytes = static_cast<std::int64_t>(memory.free);
    }
    return true;
  }

 private:
  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(::dlsym(library_, name));
  }
  std::string text(void* handle, const char* name) const {
    std::array<char, 128> bytes{};
    const auto call = find<int(void*, char*, unsigned)>(name);
    return call != nullptr && call(handle, bytes.data(), bytes.size() - 1) == 0 ? bytes.data() : "";
  }

  void* library_;
  bool usable_ = false;
};

const GpuDevice* findDevice(const std::vector<GpuDevice>& devices, const std::string& name) {
  int index = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool isIndex = error == std::errc() && end == name.data() + name.size();
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const GpuDevice& device) {
    return isIndex ? device.index == index : name.size() > 4 && device.uuid.starts_with(name);
  });
  return found != devices.end() ? &*found : nullptr;
}

}  // namespace

Gpus findGpus() {
  const Nvml nvml;
  if (!nvml.isUsable()) return {};
  Gpus gpus;
  gpus.driverVersion = nvml.driverVersion();
  for (unsigned i = 0; i < nvml.count(); ++i) {
    GpuDevice device;
    if (nvml.read(i, device)) gpus.devices.push_back(std::move(device));
  }
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible != nullptr) {
    gpus.devices = visibleDevices(gpus.devices, visible);
  }
  return gpus;
}

std::vector<GpuDevice> visibleDevices(const std::vector<GpuDevice>& devices,
                                      const std::string& visible) {
  std::vector<GpuDevice> left;
  std::size_t begin = 0;
  while (begin <= visible.size()) {
    const std::size_t end = std::min(visible.find(',', begin), visible.size());
    std::string name = visible.substr(begin, end - begin);
    std::erase(name, ' ');
    const GpuDevice* device = findDevice(devices, name);
    if (device == nullptr) break;
    left.push_back(*device);
    begin = end + 1;
  }
  return left;
}

}  // namespace lockstep::supervisor
