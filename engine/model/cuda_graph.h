#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace lockstep::model {

/// Work to be captured.
struct CudaGraphWork {
  std::function<std::vector<at::Tensor>()> run;
  /// Memory that it reads and does not write first: to be kept for as long as it may be replayed.
  std::vector<at::Tensor> reads;
};

/// Work that was done once and can be done again on the same memory with one call.
struct CapturedCudaGraph {
  std::vector<at::Tensor> outputs;  ///< where every replay writes
  std::function<void()> replay;
};

/// Does the work and captures it. Throws c10::Error where that cannot be.
using CudaGraphCapture = std::function<CapturedCudaGraph(const CudaGraphWork& work)>;

/// Captures work as CUDA graphs that share one pool of memory, so they are to run one after the
/// other: of each shape forward, then backward. Captures on the current stream, which must not be
/// the default one, and must be the current one since before the parameters had gradients: autograd
/// adds a gradient to a parameter on the stream where that was first asked for, and would draw it
/// into the graph. Throws c10::Error in a build without CUDA.
CudaGraphCapture cudaGraphCapture();

}  // namespace lockstep::model
