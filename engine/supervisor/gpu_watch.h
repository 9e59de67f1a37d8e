#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/supervisor/nvml.h"
#include "engine/supervisor/poll_loop.h"

namespace lockstep::supervisor {

/// Asks NVML for the figures of some GPUs every second, in a process of its own: with a broken GPU
/// a call may block for ever, and this process must not. The other one ends with this object, or
/// with this process.
class GpuWatch {
 public:
  /// Called each second for each GPU that answers; `position`: in the list of indices.
  using Handler = std::function<void(std::size_t position, const GpuFigures& figures)>;

  /// indices: as the driver counts. `library` is opened in the other process.
  GpuWatch(PollLoop& loop, std::vector<int> indices, Handler handler,
           const std::string& library = Nvml::kLibrary);
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;
  ~GpuWatch();

  /// Why the process could not be started: no figures come then. Empty: it was.
  const std::string& fault() const { return fault_; }

 private:
  void read();
  void end();

  PollLoop& loop_;
  Handler handler_;
  std::string fault_;
  pid_t pid_ = -1;
  base::FileDescriptor figures_;
};

}  // namespace lockstep::supervisor
