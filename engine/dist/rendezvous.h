#pragma once

#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "engine/dist/world.h"

namespace lockstep::dist {

/// Where ranks find one another.
struct Rendezvous {
  c10::intrusive_ptr<c10d::Store> store;  ///< keys of this start of the world alone
  int rank = 0, size = 1;
  int firstLocalRank = 0;    ///< rank of local rank 0 of this node
  std::string localAddress;  ///< this machine's, as the other ranks reach it
  /// Another connection to the store, whose calls wait for nobody else's.
  std::function<c10::intrusive_ptr<c10d::Store>()> connect;
};

/// Opens rank 0's store, or connects to it, and counts the ranks. Throws Error that says who is
/// missing.
Rendezvous meet(const WorldOptions& options);

}  // namespace lockstep::dist
