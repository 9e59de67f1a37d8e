#include "engine/supervisor/devices.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string_view>

namespace lockstep::supervisor {
namespace {

/// What LibTorch's CUDA 13.0 runs with, whatever kernels there are.
constexpr int kLeastCudaVersion = 13000, kLeastDriver = 580;
constexpr int kLeastCapability = 75;

/// A container may have the driver's NVML without its libcuda.
constexpr const char* kNoneForTorch =
    "LibTorch can use none of the GPUs that the NVIDIA driver reports: check nvidia-smi, and in a "
    "container set NVIDIA_DRIVER_CAPABILITIES to compute,utility";

const GpuDevice* findDevice(const std::vector<GpuDevice>& devices, const std::string& name) {
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  if (error == std::errc() && end == name.data() + name.size())
    return place < devices.size() ? &devices[place] : nullptr;
  const auto found = std::find_if(devices.begin(), devices.end(), [&](const GpuDevice& device) {
    return name.size() > 4 && device.uuid.starts_with(name);
  });
  return found != devices.end() ? &*found : nullptr;
}

/// By what it serves, which a compatibility package may raise; else by its number.
bool isDriverTooOld(const Gpus& gpus) {
  if (gpus.cudaVersion > 0) return gpus.cudaVersion < kLeastCudaVersion;
  const int driver = std::atoi(gpus.driverVersion.c_str());
  return driver > 0 && driver < kLeastDriver;
}

/// Kernels of one architecture: `90` are of 9.0, and can be translated for what comes after;
/// `90-real` cannot, `90-virtual` have to be; `90a` are of 9.0 alone.
struct Kernels {
  int capability = 0;
  bool isReal = true, isVirtual = true, isExact = false;

  bool serve(int other) const {
    if (isExact) return other == capability;
    // As they are they serve what is later in a generation as well.
    const bool asTheyAre = isReal && other / 10 == capability / 10;
    return other >= capability && (asTheyAre || isVirtual);
  }
};

/// Empty for values that name no architecture (all, native).
std::vector<Kernels> kernelsIn(const std::string& architectures) {
  std::vector<Kernels> all;
  std::istringstream words(architectures);
  for (std::string word; words >> word;) {
    Kernels kernels;
    const auto digits = std::from_chars(word.data(), word.data() + word.size(), kernels.capability);
    const std::string_view rest(digits.ptr, word.data() + word.size());
    if (digits.ec != std::errc()) return {};
    kernels.isReal = !rest.ends_with("-virtual");
    kernels.isVirtual = !rest.ends_with("-real");
    kernels.isExact = !rest.empty() && rest.front() != '-';
    all.push_back(kernels);
  }
  return all;
}

std::string listText(const std::vector<Kernels>& built) {
  std::set<int> capabilities;
  for (const Kernels& kernels : built) capabilities.insert(kernels.capability);
  std::string text;
  for (const int capability : capabilities)
    text += (text.empty() ? "" : ", ") + capabilityText(capability);
  return text;
}

}  // namespace

Gpus findGpus(const char* library) {
  const Nvml nvml(library);
  Gpus gpus;
  gpus.error = nvml.error();
  if (!nvml.isUsable()) return gpus;
  gpus.driverVersion = nvml.driverVersion();
  gpus.cudaVersion = nvml.cudaVersion();
  for (unsigned i = 0; i < nvml.count(); ++i) {
    const Nvml::Handle gpu = nvml.open(i);
    if (gpu == nullptr) continue;
    const Nvml::Memory memory = nvml.memory(gpu);
    gpus.devices.push_back({static_cast<int>(i), nvml.name(gpu), nvml.uuid(gpu), memory.totalBytes,
                            memory.freeBytes, nvml.computeCapability(gpu)});
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

std::string whyNoneUsable(const Gpus& gpus, const GpuSupport& support) {
  if (!gpus.error.empty()) return gpus.error;
  if (gpus.driverVersion.empty())
    return "no NVIDIA driver found; GPUs need driver " + std::to_string(kLeastDriver) + " or newer";
  if (gpus.devices.empty()) {
    return std::getenv("CUDA_VISIBLE_DEVICES") != nullptr
               ? "the NVIDIA driver reports no GPU that is in CUDA_VISIBLE_DEVICES: unset it"
               : "the NVIDIA driver reports no GPU: check nvidia-smi";
  }
  if (!support.hasKernels) return "this build has no CUDA kernels: build with -DLOCKSTEP_CUDA=ON";
  if (isDriverTooOld(gpus)) {
    const std::string serves =
        gpus.cudaVersion > 0 ? ", which supports CUDA " + cudaVersionText(gpus.cudaVersion) + ","
                             : "";
    return "the NVIDIA driver " + gpus.driverVersion + serves + " is too old: CUDA " +
           cudaVersionText(kLeastCudaVersion) + " needs driver " + std::to_string(kLeastDriver) +
           " or newer; install one";
  }
  std::string reasons;
  for (const GpuDevice& gpu : gpus.devices) {
    const std::string reason = whyUnusable(gpu, support);
    if (reason.empty()) return support.usableCount > 0 ? "" : kNoneForTorch;
    reasons += (reasons.empty() ? "" : "; ") + reason;
  }
  return reasons;
}

std::string whyUnusable(const GpuDevice& gpu, const GpuSupport& support) {
  const int capability = gpu.computeCapability;
  if (capability == 0) return {};
  const std::string has = gpuName(gpu) + " has compute capability " + capabilityText(capability);
  if (capability < kLeastCapability)
    return has + " and is too old: LibTorch needs " + capabilityText(kLeastCapability) + " or more";
  const std::vector<Kernels> built = kernelsIn(support.architectures);
  const bool isServed = built.empty() || std::any_of(built.begin(), built.end(),
                                                     [capability](const Kernels& kernels) {
                                                       return kernels.serve(capability);
                                                     });
  if (isServed) return {};
  return has + ", and this build has kernels for " + listText(built) +
         ": build with -DCMAKE_CUDA_ARCHITECTURES=" + std::to_string(capability);
}

std::string gpuName(const GpuDevice& gpu) {
  const std::string number = "GPU " + std::to_string(gpu.index);
  return gpu.name.empty() ? number : number + " (" + gpu.name + ")";
}

std::string cudaVersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::string capabilityText(int capability) {
  if (capability == 0) return "unknown";
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace lockstep::supervisor
