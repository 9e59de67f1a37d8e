#pragma once

#include <QByteArray>
#include <QTemporaryDir>
#include <filesystem>
#include <string>

#include "engine/queue/device_locks.h"
#include "engine/run_folder/run_folder.h"

namespace lockstep::tests {

/// A lock folder of its own for this process and its children, and run folders. Only one may exist.
class LockBench {
 public:
  LockBench() : before_(qgetenv("LOCKSTEP_LOCKS")) {
    qputenv("LOCKSTEP_LOCKS", QByteArray::fromStdString((folder() / "locks").string()));
  }
  ~LockBench() { qputenv("LOCKSTEP_LOCKS", before_); }
  LockBench(const LockBench&) = delete;
  LockBench& operator=(const LockBench&) = delete;

  std::filesystem::path folder() const {
    return std::filesystem::canonical(folder_.path().toStdString());
  }
  std::filesystem::path locks() const { return folder() / "locks"; }
  std::filesystem::path lockOf(const std::string& device) const {
    return locks() / "devices" / (device + ".lock");
  }
  /// Made on demand.
  run_folder::Layout run(const std::string& name) const {
    std::filesystem::create_directories(folder() / name);
    return run_folder::Layout(folder() / name);
  }
  /// This process, as the supervisor of a run.
  queue::Holder holder(const std::string& name, const std::string& job = "") const {
    return {run(name).folder().string(), ::getpid(), "host", job};
  }

 private:
  QTemporaryDir folder_;
  QByteArray before_;
};

using queue::kCpu;
inline const queue::Device kGpu0{"GPU-aaaa", "GPU 0 (NVIDIA H200)"};
inline const queue::Device kGpu1{"GPU-bbbb", "GPU 1 (NVIDIA H200)"};

}  // namespace lockstep::tests
