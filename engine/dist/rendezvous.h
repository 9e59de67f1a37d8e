#pragma once

#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "engine/dist/world.h"

namespace lockstep::dist {

/// What a rank knows after the rendezvous.
struct Rendezvous {
  c10::intrusive_ptr<c10d::Store> store;  ///< with a key prefix for this (re)start of the world
  int rank = 0, size = 1;
  int firstLocalRank = 0;    ///< rank of local rank 0 of this node
  std::string localAddress;  ///< of this machine, at which the other ranks reach it
  /// Opens another connection to the store, whose calls do not wait for those on this one.
  std::function<c10::intrusive_ptr<c10d::Store>()> connect;
};

/// Hosts the TCPStore on rank 0 or connects to it, and assigns ranks. Throws Error that names the
/// missing node after options.joinTimeout.
Rendezvous joinRendezvous(const WorldOptions& options);

}  // namespace lockstep::dist
