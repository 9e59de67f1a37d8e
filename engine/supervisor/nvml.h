#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace lockstep::supervisor {

/// A sample of NVML's metrics of a GPU; NaN where it is unknown or implausible.
struct GpuFigures {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  double utilisationPercent = kUnknown;
  double memoryBytes = kUnknown;  ///< in use, by all programs
  double temperatureCelsius = kUnknown;
  double powerWatts = kUnknown;
  double throttledPercent = kUnknown;  ///< 100: its clocks are lowered, for power or heat; else 0
  bool isLost = false;                 ///< the driver cannot reach it any more
};

/// The few functions of NVML (nvml.h, version 2 of the API) in use, found at run time: a driver may
/// be missing, and an old one lacks some. Every call may block, for seconds where a GPU is broken.
class Nvml {
 public:
  static constexpr const char* kLibrary = "libnvidia-ml.so.1";
  using Handle = void*;

  explicit Nvml(const char* library = kLibrary);
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  ~Nvml();

  /// Whether there is a driver that answers; without one nothing else may be called.
  bool isUsable() const { return usable_; }
  /// Why an installed driver does not answer; empty: none is installed, or it answers.
  std::string error() const;
  std::string driverVersion() const;  ///< "unknown" if not reported
  int cudaVersion() const;  ///< the newest that the driver supports, 13000 for 13.0; 0: unknown
  unsigned count() const;
  /// Null: there is none, or this user may not use it.
  Handle open(unsigned index) const;

  std::string name(Handle gpu) const;
  std::string uuid(Handle gpu) const;
  /// 90 for 9.0; 0: unknown.
  int computeCapability(Handle gpu) const;
  struct Memory {
    std::int64_t totalBytes = 0, freeBytes = 0;
  };
  Memory memory(Handle gpu) const;
  GpuFigures figures(Handle gpu) const;

 private:
  template <typename Function>
  Function* find(const char* name) const;
  std::string text(Handle gpu, const char* function) const;

  void* library_;
  int initialised_ = 0;  ///< nvmlReturn_t
  bool usable_ = false;
};

}  // namespace lockstep::supervisor
