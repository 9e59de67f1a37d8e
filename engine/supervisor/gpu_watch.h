#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/supervisor/nvml.h"
#include "engine/supervisor/poll_loop.h"

namespace lockstep::supervisor {

/// Asks NVML for the figures of some GPUs every second, in a process of its own: a call may block
/// for as long as a broken GPU likes, and this one must not. The process ends with this object, or
/// with this process.
class GpuWatch {
 public:
  /// Once for each GPU that a round of questions reached; `place`: in the list of indices.
  using Handler = std::function<void(std::size_t place, const GpuFigures& figures)>;

  /// indices: as the driver counts. `library` is opened in the other process.
  GpuWatch(PollLoop& loop, std::vector<int> indices, Handler handler,
           const std::string& library = Nvml::kLibrary);
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;
  ~GpuWatch();

  /// Why the system gave no process: then no figures come. Empty where it did.
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
