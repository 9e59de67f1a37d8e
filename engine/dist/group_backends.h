#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

/// The backends of a process group. Each has its own source file, the only one that needs the
/// backend's headers.
namespace lockstep::dist {

/// Collectives have no timeout: supervisors monitor the ranks and kill them.
constexpr std::chrono::hours kNoTimeout{24 * 365};

/// Options of a process group that is being created.
struct GroupOptions {
  c10::intrusive_ptr<c10d::Store> store;  ///< with a key prefix for this group
  int rank = 0, size = 1;
  std::string localAddress{};  ///< at which the other ranks reach this machine; for Gloo only
};

/// Adds the Gloo backend to the group, for tensors on CPUs and GPUs. Connects, so it blocks until
/// all ranks have joined. Throws Error if the program was built without it.
void addGloo(c10d::ProcessGroup& group, const GroupOptions& options);
/// Whether the program was built with Gloo.
bool hasGloo();

/// Adds the NCCL backend to the group, for tensors on GPUs, one GPU per rank. It connects at the
/// first collective. Throws Error if the program was built without CUDA.
void addNccl(c10d::ProcessGroup& group, const GroupOptions& options);

}  // namespace lockstep::dist
