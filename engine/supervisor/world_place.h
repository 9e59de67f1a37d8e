#pragma once

#include <functional>
#include <optional>
#include <string>

namespace lockstep::supervisor {

/// Which part of the world this supervisor starts. A node is a supervisor with its ranks; node 0
/// keeps the run folder, the log and the socket.
struct WorldPlace {
  std::string launcher;        ///< "torchrun", "Slurm", "Open MPI", "PyTorchJob"; empty: none, and
                               ///< restarting is not left to it
  int node = 0, nodes = 1;     ///< this supervisor among those of the run
  bool isOneRank = false;      ///< the launcher starts a supervisor for every rank
  int gpu = 0;                 ///< of that one rank: its place on its machine
  std::string masterAddress;   ///< where rank 0 is; empty: on this machine
  int masterPort = 0;          ///< of rank 0's store; 0: rank 0 chooses one
  bool storeIsServed = false;  ///< the launcher serves a store at that port
};

/// The place that a launcher's variables name. `variable` gives an environment
/// variable, or null. Throws Error (mendable) naming the variable that is missing or makes no
/// sense.
WorldPlace worldPlaceOf(const std::function<const char*(const char*)>& variable);

}  // namespace lockstep::supervisor
