#include "engine/base/error.h"
#include "engine/dist/group_backends.h"
// LibTorch's wheel lacks the headers of gloo, which this header of its own includes.
#ifdef LOCKSTEP_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

namespace lockstep::dist {

#ifdef LOCKSTEP_GLOO

bool hasGloo() { return true; }

void addGloo(c10d::ProcessGroup& group, const GroupPlace& place) {
  using Gloo = c10d::ProcessGroupGloo;
  const auto options = Gloo::Options::create(kNever);
  options->devices.push_back(Gloo::createDeviceForHostname(place.localAddress));
  options->threads = 2;
  const auto gloo = c10::make_intrusive<Gloo>(place.store, place.rank, place.size, options);
  for (const auto device : {c10::DeviceType::CPU, c10::DeviceType::CUDA})
    group.setBackend(device, c10d::ProcessGroup::BackendType::GLOO, gloo);
  group.setDefaultBackend(c10d::ProcessGroup::BackendType::GLOO);
}

#else

bool hasGloo() { return false; }

void addGloo(c10d::ProcessGroup&, const GroupPlace&) {
  throw Error("several ranks: this program was built without gloo's headers (libgloo-dev)");
}

#endif

}  // namespace lockstep::dist
