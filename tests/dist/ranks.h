#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/base/file_descriptor.h"
#include "engine/dist/world.h"

namespace lockstep::tests {

/// Runs `body` on every rank of a world, one thread per rank. Rethrows the exception of the lowest
/// rank.
void onRanks(int count, const std::function<void(dist::World&)>& body);

/// The same with several nodes, whose rendezvous is at a port of this machine: ranks[n] ranks on
/// node n.
void onNodes(const std::vector<int>& ranks, const std::function<void(dist::World&)>& body);

/// Throws unless `holds`, so that a failure in a rank's thread fails the test.
void require(bool holds, const std::string& what);
#define REQUIRE(condition) lockstep::tests::require(condition, #condition)

/// RAII: a port of this machine that is in use.
class TakenPort {
 public:
  TakenPort();
  int number() const { return number_; }

 private:
  base::FileDescriptor socket_;
  int number_ = 0;
};

/// A free port of this machine.
int freePort();

}  // namespace lockstep::tests
