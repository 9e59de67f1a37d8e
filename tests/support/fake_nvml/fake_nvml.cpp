// A libnvidia-ml.so.1 for machines without an NVIDIA driver. It reads its answers from the file
// $LOCKSTEP_FAKE_NVML at every call, one per line:
//
//   init CODE      nvmlInit_v2 returns this
//   driver VERSION
//   cuda VERSION   as NVML counts: 13000
//   gpu NAME UUID CAPABILITY TOTAL_MIB USED_MIB PERCENT CELSIUS MILLIWATTS REASONS CODE
//                  one line for each; `_` in NAME is a blank, CAPABILITY is 90 for 9.0, and every
//                  question for figures gives CODE
//   hang           questions for figures never return; the first one makes a file of that name with
//                  .hangs behind it
//
// With FAKE_OLD_NVML it lacks the functions added after the drivers of 2014.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kSuccess = 0, kInvalidArgument = 2, kUninitialised = 1;

struct FakeGpu {
  std::string name, uuid;
  int capability = 0;
  unsigned long long totalMiB = 0, usedMiB = 0;
  unsigned percent = 0, celsius = 0, milliwatts = 0;
  unsigned long long reasons = 0;
  int code = kSuccess;
};

struct FakeDriver {
  int init = kSuccess;
  std::string version;
  int cuda = 0;
  std::vector<FakeGpu> gpus;
  bool hangs = false;
};

FakeDriver driverNow() {
  FakeDriver driver;
  const char* name = std::getenv("LOCKSTEP_FAKE_NVML");
  if (name == nullptr) {
    driver.init = kUninitialised;
    return driver;
  }
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "init") words >> driver.init;
    if (word == "driver") words >> driver.version;
    if (word == "cuda") words >> driver.cuda;
    driver.hangs = driver.hangs || word == "hang";
    if (word != "gpu") continue;
    FakeGpu gpu;
    words >> gpu.name >> gpu.uuid >> gpu.capability >> gpu.totalMiB >> gpu.usedMiB >> gpu.percent >>
        gpu.celsius >> gpu.milliwatts >> gpu.reasons >> gpu.code;
    std::replace(gpu.name.begin(), gpu.name.end(), '_', ' ');
    driver.gpus.push_back(gpu);
  }
  return driver;
}

int copyText(const std::string& text, char* to, unsigned length) {
  if (text.size() >= length) return kInvalidArgument;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

/// A handle is the number of the GPU, from 1.
FakeGpu gpuOf(void* handle) {
  return driverNow().gpus.at(reinterpret_cast<std::size_t>(handle) - 1);
}

template <typename Fill>
int answer(void* handle, const Fill& fill) {
  if (driverNow().hangs) std::ofstream(std::getenv("LOCKSTEP_FAKE_NVML") + std::string(".hangs"));
  while (driverNow().hangs) ::usleep(100'000);
  const FakeGpu gpu = gpuOf(handle);
  if (gpu.code == kSuccess) fill(gpu);
  return gpu.code;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return driverNow().init; }
int nvmlShutdown() { return kSuccess; }
int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  return copyText(driverNow().version, version, length);
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(driverNow().gpus.size());
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** handle) {
  if (index >= driverNow().gpus.size()) return kInvalidArgument;
  *handle = reinterpret_cast<void*>(std::size_t{index} + 1);
  return kSuccess;
}
int nvmlDeviceGetName(void* handle, char* name, unsigned length) {
  return copyText(gpuOf(handle).name, name, length);
}
int nvmlDeviceGetUUID(void* handle, char* uuid, unsigned length) {
  return copyText(gpuOf(handle).uuid, uuid, length);
}
int nvmlDeviceGetMemoryInfo(void* handle, unsigned long long* memory) {
  return answer(handle, [memory](const FakeGpu& gpu) {
    memory[0] = gpu.totalMiB << 20;
    memory[1] = (gpu.totalMiB - gpu.usedMiB) << 20;
    memory[2] = gpu.usedMiB << 20;
  });
}

#ifndef FAKE_OLD_NVML
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = driverNow().cuda;
  return kSuccess;
}
int nvmlDeviceGetCudaComputeCapability(void* handle, int* major, int* minor) {
  *major = gpuOf(handle).capability / 10;
  *minor = gpuOf(handle).capability % 10;
  return kSuccess;
}
int nvmlDeviceGetUtilizationRates(void* handle, unsigned* rates) {
  return answer(handle, [rates](const FakeGpu& gpu) { rates[0] = gpu.percent; });
}
int nvmlDeviceGetTemperature(void* handle, int, unsigned* celsius) {
  return answer(handle, [celsius](const FakeGpu& gpu) { *celsius = gpu.celsius; });
}
int nvmlDeviceGetPowerUsage(void* handle, unsigned* milliwatts) {
  return answer(handle, [milliwatts](const FakeGpu& gpu) { *milliwatts = gpu.milliwatts; });
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* handle, unsigned long long* reasons) {
  return answer(handle, [reasons](const FakeGpu& gpu) { *reasons = gpu.reasons; });
}
#endif

}  // extern "C"
