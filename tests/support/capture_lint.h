#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/model/cuda_graph.h"
#include "tests/support/operator_watch.h"

namespace lockstep::tests {

/// Finds what makes captured work unsafe to replay as a CUDA graph:
/// - an operator that synchronises with the host;
/// - pinned memory;
/// - a copy of a tensor to a device: everything must already be there;
/// - a read of memory that no operator wrote: the host wrote it, a replay would read later content;
/// - a read of external memory that is not a declared input: nothing keeps it alive.
///
/// It runs on a CPU and sees what an OperatorWatch sees: everything in float64 and mostly in
/// bfloat16, because our own CPU kernels are for float32. It does not see code that runs only on a
/// GPU, where the capture itself reports errors, nor calls inside kernels. Scalars passed by value
/// (2 in x * 2) are not memory.
class CaptureLint {
 public:
  /// Runs the work once and checks it.
  std::vector<at::Tensor> run(const model::CudaGraphWork& work);
  /// The findings, one per line, without duplicates, in order; empty: none.
  const std::string& findings() const { return findings_; }

 private:
  class Watch;
  /// The origin of the content of memory that the work allocated.
  struct Made {
    c10::Storage storage;  ///< kept, so that its address is not reused
    bool isWritten = false;
  };
  void add(const std::string& finding);

  std::map<const void*, Made> made_;
  std::string findings_;
};

}  // namespace lockstep::tests
