#include "engine/base/error.h"
#include "engine/dist/group_backends.h"
#ifdef LOCKSTEP_CUDA
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace lockstep::dist {

#ifdef LOCKSTEP_CUDA

void addNccl(c10d::ProcessGroup& group, const GroupOptions& parameters) {
  using Nccl = c10d::ProcessGroupNCCL;
  const auto options = Nccl::Options::create();
  options->timeout = kNoTimeout;
  group.setBackend(
      c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL,
      c10::make_intrusive<Nccl>(parameters.store, parameters.rank, parameters.size, options));
  group.setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
}

#else

void addNccl(c10d::ProcessGroup&, const GroupOptions&) {
  throw Error("runtime.backend: this program was built without CUDA, so NCCL is unavailable");
}

#endif

}  // namespace lockstep::dist
