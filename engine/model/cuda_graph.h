#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace lockstep::model {

/// The work to capture.
struct CudaGraphWork {
  std::function<std::vector<at::Tensor>()> run;
  /// Memory that it reads without writing it first; must stay alive for as long as the graph may be
  /// replayed.
  std::vector<at::Tensor> reads;
};

/// A captured CUDA graph, which can be replayed on the same memory.
struct CapturedCudaGraph {
  std::vector<at::Tensor> outputs;  ///< every replay writes to them
  std::function<void()> replay;
};

/// Captures the work and runs it. Throws c10::Error if the capture fails.
using CudaGraphCapture = std::function<CapturedCudaGraph(const CudaGraphWork& work)>;

/// Captures work as CUDA graphs that share one memory pool, so they must be replayed one after
/// another: for each shape forward, then backward. Captures on the current stream, which must not
/// be the default stream and must have been current since before the parameters had gradients:
/// autograd accumulates gradients on the stream where a parameter was first used, which would
/// become part of the graph. Throws c10::Error in a build without CUDA.
CudaGraphCapture cudaGraphCapture();

}  // namespace lockstep::model
