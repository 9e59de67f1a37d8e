#include "engine/base/error.h"
#include "engine/dist/group_backends.h"
#ifdef LOCKSTEP_CUDA
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace lockstep::dist {

#ifdef LOCKSTEP_CUDA

void addNccl(c10d::ProcessGroup& group, const GroupOptions& options) {
  using Nccl = c10d::ProcessGroupNCCL;
  const auto backendOptions = Nccl::Options::create();
  backendOptions->timeout = kNoTimeout;
  group.setBackend(
      c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL,
      c10::make_intrusive<Nccl>(options.store, options.rank, options.size, backendOptions));
  group.setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
}

#else

void addNccl(c10d::ProcessGroup&, const GroupOptions&) {
  throw Error("runtime.backend: this program was built without CUDA, so NCCL is unavailable");
}

#endif

}  // namespace lockstep::dist
