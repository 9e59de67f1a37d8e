#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/model/cuda_graph.h"
#include "tests/support/operator_watch.h"

namespace lockstep::tests {

/// Says what of work that is captured could not be replayed on a GPU:
/// - an operator whose result the host waits for;
/// - pinned memory;
/// - a tensor that is sent to a device, the one at hand or another: all is on it already;
/// - an operator that reads memory which no operator wrote: the host did, and a replay would read
///   what lies there by then;
/// - an operator that reads memory from outside which is not among what the work is said to read:
///   nothing keeps it.
/// It runs on a CPU, and sees what an OperatorWatch sees: in float64 and mostly in bfloat16 that is
/// everything, because our own kernels for a CPU are for float32. It does not see code that runs on
/// a GPU alone, where the capture itself may fail and say so, nor what a kernel calls. Numbers that
/// an operator takes by value (2 in x * 2) are no memory.
class CaptureLint {
 public:
  /// Runs the work once under the lint.
  std::vector<at::Tensor> run(const model::CudaGraphWork& work);
  /// One a line, each once, in the order in which they came; empty: none.
  const std::string& findings() const { return findings_; }

 private:
  class Watch;
  /// How memory that the work made itself came to be what it is.
  struct Made {
    c10::Storage storage;  ///< held, so that no other comes to lie there
    bool isWritten = false;
  };
  void add(const std::string& finding);

  std::map<const void*, Made> made_;
  std::string findings_;
};

}  // namespace lockstep::tests
