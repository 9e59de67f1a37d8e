#include "engine/base/error.h"
#include "engine/dist/group_backends.h"
// The torch wheel does not ship gloo's headers, which ProcessGroupGloo.hpp includes.
#ifdef LOCKSTEP_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

namespace lockstep::dist {

#ifdef LOCKSTEP_GLOO

bool hasGloo() { return true; }

void addGloo(c10d::ProcessGroup& group, const GroupOptions& options) {
  using Gloo = c10d::ProcessGroupGloo;
  const auto backendOptions = Gloo::Options::create(kNoTimeout);
  backendOptions->devices.push_back(Gloo::createDeviceForHostname(options.localAddress));
  backendOptions->threads = 2;
  const auto gloo =
      c10::make_intrusive<Gloo>(options.store, options.rank, options.size, backendOptions);
  for (const auto device : {c10::DeviceType::CPU, c10::DeviceType::CUDA})
    group.setBackend(device, c10d::ProcessGroup::BackendType::GLOO, gloo);
  group.setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
}

#else

bool hasGloo() { return false; }

void addGloo(c10d::ProcessGroup&, const GroupOptions&) {
  throw Error(
      "runtime.workers: this program was built without Gloo; install libgloo-dev and build again");
}

#endif

}  // namespace lockstep::dist
