#include "engine/base/error.h"
#include "engine/dist/group_backends.h"
#ifdef LOCKSTEP_CUDA
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>
#endif

namespace lockstep::dist {

#ifdef LOCKSTEP_CUDA

void addNccl(c10d::ProcessGroup& group, const GroupPlace& place) {
  using Nccl = c10d::ProcessGroupNCCL;
  const auto options = Nccl::Options::create();
  options->timeout = kNever;
  group.setBackend(c10::DeviceType::CUDA, c10d::ProcessGroup::BackendType::NCCL,
                   c10::make_intrusive<Nccl>(place.store, place.rank, place.size, options));
  group.setDefaultBackend(c10d::ProcessGroup::BackendType::NCCL);
}

#else

void addNccl(c10d::ProcessGroup&, const GroupPlace&) {
  throw Error("NCCL: this program was built without CUDA");
}

#endif

}  // namespace lockstep::dist
