#pragma once

#include "engine/model/cuda_graph.h"

namespace lockstep::tests {

/// Emulates CUDA graph replay on a CPU: runs the work again, with its outputs in the same memory.
/// Must outlive the captured work.
struct EagerCapture {
  int captured = 0, replayed = 0;
  model::CudaGraphCapture capture();
};

/// Closer to a device: replays the operators that the work called, each on the memory that it read
/// and wrote; no code of the work runs again. Only for work that an OperatorWatch sees completely,
/// in float64.
model::CudaGraphCapture tapeCapture();

/// `capture`, counting in `count` what it captures.
model::CudaGraphCapture counted(int& count, model::CudaGraphCapture capture);

}  // namespace lockstep::tests
