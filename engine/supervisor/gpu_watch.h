#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/supervisor/nvml.h"
#include "engine/supervisor/poll_loop.h"

namespace lockstep::supervisor {

/// Polls NVML for GPU metrics every second in a child process, because a call may hang on a broken
/// GPU. The child exits with this object or this process.
class GpuWatch {
 public:
  /// Called each second for each GPU that answers; `position`: in the list of indices.
  using Handler = std::function<void(std::size_t position, const GpuFigures& figures)>;

  /// indices: NVML's. `library` is opened in the child.
  GpuWatch(PollLoop& loop, std::vector<int> indices, Handler handler,
           const std::string& library = Nvml::kLibrary);
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;
  ~GpuWatch();

  /// Why the child could not be started; empty: it runs.
  const std::string& error() const { return error_; }

 private:
  void read();
  void end();

  PollLoop& loop_;
  Handler handler_;
  std::string error_;
  pid_t pid_ = -1;
  base::FileDescriptor figures_;
};

}  // namespace lockstep::supervisor
