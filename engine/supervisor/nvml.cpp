#include "engine/supervisor/nvml.h"

#include <dlfcn.h>

#include <array>

namespace lockstep::supervisor {
namespace {

// nvmlReturn_t
constexpr int kSuccess = 0, kDriverNotLoaded = 9, kGpuIsLost = 15, kVersionMismatch = 18;
// nvmlTemperatureSensors_t
constexpr int kGpuSensor = 0;
/// nvmlClocksEventReasons: power cap, and slowdowns by software or hardware for heat or power.
constexpr unsigned long long kThrottles = 0x4 | 0x8 | 0x20 | 0x40 | 0x80;

// Beyond these a figure is no measurement: NVML fills what it does not know with all bits set.
constexpr unsigned kMostPercent = 100, kMostCelsius = 200, kMostMilliwatts = 20'000'000;

/// nvmlMemory_t
struct MemoryInfo {
  unsigned long long total = 0, free = 0, used = 0;
};
/// nvmlUtilization_t
struct Utilisation {
  unsigned gpu = 0, memory = 0;
};

double upTo(unsigned most, unsigned value, double unit = 1) {
  return value <= most ? value * unit : GpuFigures::kUnknown;
}

}  // namespace

Nvml::Nvml(const char* library) : library_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {
  if (library_ == nullptr) return;
  const auto initialise = find<int()>("nvmlInit_v2");
  if (initialise != nullptr) initialised_ = initialise();
  usable_ = initialise != nullptr && initialised_ == kSuccess;
}

Nvml::~Nvml() {
  if (library_ == nullptr) return;
  const auto end = find<int()>("nvmlShutdown");
  if (usable_ && end != nullptr) end();
  ::dlclose(library_);
}

template <typename Function>
Function* Nvml::find(const char* name) const {
  return reinterpret_cast<Function*>(::dlsym(library_, name));
}

std::string Nvml::error() const {
  if (library_ == nullptr || usable_) return {};
  if (initialised_ == kDriverNotLoaded) return "the NVIDIA driver is not loaded: check nvidia-smi";
  if (initialised_ == kVersionMismatch)
    return "the NVIDIA driver was updated under the running system: restart the machine";
  return "the NVIDIA driver does not answer (NVML error " + std::to_string(initialised_) +
         "): check nvidia-smi";
}

std::string Nvml::driverVersion() const {
  std::array<char, 96> version{};
  const auto call = find<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  const bool isKnown = call != nullptr && call(version.data(), version.size() - 1) == kSuccess;
  return isKnown ? version.data() : "unknown";
}

int Nvml::cudaVersion() const {
  // The second form asks the libcuda that programs get, which may be newer than the driver.
  for (const char* name : {"nvmlSystemGetCudaDriverVersion_v2", "nvmlSystemGetCudaDriverVersion"}) {
    int version = 0;
    const auto call = find<int(int*)>(name);
    if (call != nullptr && call(&version) == kSuccess && version > 0) return version;
  }
  return 0;
}

unsigned Nvml::count() const {
  unsigned gpus = 0;
  const auto call = find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  return call != nullptr && call(&gpus) == kSuccess ? gpus : 0;
}

Nvml::Handle Nvml::open(unsigned index) const {
  Handle gpu = nullptr;
  const auto call = find<int(unsigned, Handle*)>("nvmlDeviceGetHandleByIndex_v2");
  return call != nullptr && call(index, &gpu) == kSuccess ? gpu : nullptr;
}

std::string Nvml::text(Handle gpu, const char* function) const {
  std::array<char, 128> bytes{};
  const auto call = find<int(Handle, char*, unsigned)>(function);
  const bool isKnown = call != nullptr && call(gpu, bytes.data(), bytes.size() - 1) == kSuccess;
  return isKnown ? bytes.data() : "";
}

std::string Nvml::name(Handle gpu) const { return text(gpu, "nvmlDeviceGetName"); }
std::string Nvml::uuid(Handle gpu) const { return text(gpu, "nvmlDeviceGetUUID"); }

int Nvml::computeCapability(Handle gpu) const {
  int major = 0, minor = 0;
  const auto call = find<int(Handle, int*, int*)>("nvmlDeviceGetCudaComputeCapability");
  return call != nullptr && call(gpu, &major, &minor) == kSuccess ? 10 * major + minor : 0;
}

Nvml::Memory Nvml::memory(Handle gpu) const {
  MemoryInfo memory;
  const auto call = find<int(Handle, MemoryInfo*)>("nvmlDeviceGetMemoryInfo");
  if (call == nullptr || call(gpu, &memory) != kSuccess) return {};
  return {static_cast<std::int64_t>(memory.total), static_cast<std::int64_t>(memory.free)};
}

GpuFigures Nvml::figures(Handle gpu) const {
  GpuFigures figures;
  const auto isKnown = [&figures](int result) {
    figures.isLost = figures.isLost || result == kGpuIsLost;
    return result == kSuccess;
  };
  Utilisation utilisation;
  const auto use = find<int(Handle, Utilisation*)>("nvmlDeviceGetUtilizationRates");
  if (use != nullptr && isKnown(use(gpu, &utilisation)))
    figures.utilisationPercent = upTo(kMostPercent, utilisation.gpu);
  MemoryInfo memory;
  const auto room = find<int(Handle, MemoryInfo*)>("nvmlDeviceGetMemoryInfo");
  if (room != nullptr && isKnown(room(gpu, &memory)) && memory.used <= memory.total)
    figures.memoryBytes = static_cast<double>(memory.used);
  unsigned value = 0;
  const auto heat = find<int(Handle, int, unsigned*)>("nvmlDeviceGetTemperature");
  if (heat != nullptr && isKnown(heat(gpu, kGpuSensor, &value)))
    figures.temperatureCelsius = upTo(kMostCelsius, value);
  const auto power = find<int(Handle, unsigned*)>("nvmlDeviceGetPowerUsage");
  if (power != nullptr && isKnown(power(gpu, &value)))
    figures.powerWatts = upTo(kMostMilliwatts, value, 0.001);
  unsigned long long reasons = 0;
  auto throttle = find<int(Handle, unsigned long long*)>("nvmlDeviceGetCurrentClocksEventReasons");
  if (throttle == nullptr)  // its name up to driver 535
    throttle = find<int(Handle, unsigned long long*)>("nvmlDeviceGetCurrentClocksThrottleReasons");
  if (throttle != nullptr && isKnown(throttle(gpu, &reasons)))
    figures.throttledPercent = (reasons & kThrottles) != 0 ? 100 : 0;
  return figures;
}

}  // namespace lockstep::supervisor
