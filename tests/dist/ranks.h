#pragma once

#include <functional>

#include "engine/base/file_descriptor.h"
#include "engine/dist/world.h"

namespace lockstep::tests {

/// Runs `body` on every rank of one world, each rank in a thread of its own. Rethrows the first
/// exception in order of rank.
void onRanks(int count, const std::function<void(dist::World&)>& body);

/// The same over several nodes, that meet at a port of this machine: ranks[n] ranks on node n.
void onNodes(const std::vector<int>& ranks, const std::function<void(dist::World&)>& body);

/// A port of this machine at which somebody listens while this lives.
class TakenPort {
 public:
  TakenPort();
  int number() const { return number_; }

 private:
  base::FileDescriptor socket_;
  int number_ = 0;
};

/// A port of this machine at which nobody listens.
int freePort();

}  // namespace lockstep::tests
