#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

/// What the ranks of a process group talk through. Each backend is one source of its own, which
/// alone needs that backend's headers.
namespace lockstep::dist {

/// Collectives wait for as long as it takes: supervisors watch the ranks, and end them.
constexpr std::chrono::hours kNever{24 * 365};

/// This rank's place in a group that is being made.
struct GroupPlace {
  c10::intrusive_ptr<c10d::Store> store;  ///< keys of this group alone
  int rank = 0, size = 1;
  std::string localAddress{};  ///< at which the other ranks reach this machine; Gloo's alone
};

/// Gives the group Gloo, for tensors on CPUs and GPUs. Connects, so it blocks until all ranks are
/// there. Throws Error where the program was built without it.
void addGloo(c10d::ProcessGroup& group, const GroupPlace& place);
/// Whether the program was built with it.
bool hasGloo();

/// Gives the group NCCL, for tensors on GPUs, one for every rank. It connects at the first
/// collective. Throws Error where the program was built without CUDA.
void addNccl(c10d::ProcessGroup& group, const GroupPlace& place);

}  // namespace lockstep::dist
