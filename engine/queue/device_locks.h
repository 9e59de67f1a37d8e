#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file_lock.h"

/// The rule is in lock_folder.h.
namespace lockstep::queue {

struct Device {
  std::string id;    ///< a GPU's UUID, or `cpu`
  std::string name;  ///< `GPU 0 (NVIDIA H200)`, `the CPU`
};

inline const Device kCpu{"cpu", "the CPU"};

/// A process that trains on devices.
struct Holder {
  std::string run;  ///< its folder; empty: ranks of a run on another machine
  std::int64_t pid = 0;
  std::string host{};
  /// Of a launcher that starts several such processes for one run; empty: none does.
  std::string job{};

  /// `run droplets-20261121-101500 (/runs/droplets-20261121-101500, pid 4711)`
  std::string text() const;
};

/// A device that others train on.
struct BusyDevice {
  Device device;
  std::vector<Holder> holders;  ///< may be empty: who locked it left no name
};

/// The shared locks of a training's devices, held until destroyed.
class DeviceLocks {
 public:
  /// None of them yet: restore() takes them.
  DeviceLocks(const std::vector<Device>& devices, Holder self);

  /// All of the devices, if nobody holds any of them, else nullopt. To be called with order.lock.
  static std::optional<DeviceLocks> tryTakeFree(const std::vector<Device>& devices,
                                                const Holder& self);

  /// Takes the devices whoever holds them; those that others hold are added to `busy`. Processes of
  /// one launcher's job are not others. A lock that cannot be taken is left to restore().
  static DeviceLocks takeShared(const std::vector<Device>& devices, const Holder& self,
                                std::vector<BusyDevice>& busy);

  /// Takes locks again whose files were removed, and those that could not be taken before. To be
  /// called about once a second. Throws Error.
  void restore();

 private:
  bool isMissing(std::size_t index) const;

  std::vector<std::filesystem::path> files_;
  std::vector<std::optional<base::FileLock>> locks_;  ///< of each file
  Holder self_;
};

/// Every device that a process of this user trains on and has left its name.
std::vector<BusyDevice> busyDevices();

/// The living processes that train on a device, as far as they left their names.
std::vector<Holder> holdersOf(const Device& device);

}  // namespace lockstep::queue
